import Comments
import Foundation
import RPCTestKit
import Testing

@testable import comments_service

/// Random posts, imports and reads, compared with a simple model.
@Suite struct CommentsModelTests {
    private static let seeds = 1...UInt64(ModelSeeds.count(usual: 20))
    private static let steps = 150

    @Test(arguments: seeds) func `every page equals that of the model`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            let store = SQLiteCommentsStore(try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite"))
            var (random, model) = (SeededRandom(seed: seed), CommentsModel())
            for step in 1...Self.steps {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4: try await post(&random, &model, store)
                case 4..<6:
                    let id = UUID(number: Int.random(in: 1...40, using: &random))
                    #expect(try await store.remove(id) == model.remove(id), "step \(step)")
                case 6..<9: try page(&random, model, store, "step \(step)")
                default:
                    let images = (0...3).map(UUID.init(number:))
                    #expect(try store.counts(of: images) == model.counts, "step \(step)")
                }
            }
            for image in model.images { try walk(image, &random, model, store) }
        }
    }

    private func post(
        _ random: inout SeededRandom, _ model: inout CommentsModel, _ store: SQLiteCommentsStore
    ) async throws {
        let time = Bool.random(using: &random) ? moment(Double.random(in: -5...15, using: &random)) : nil
        let draft = draft(
            Int.random(in: 1...40, using: &random), on: Int.random(in: 0...2, using: &random),
            saying: Int.random(in: 0...5, using: &random) == 0 ? "Ugly!" : "Lovely!", at: time)
        // Sometimes the clock is set back.
        let now = moment(Double.random(in: 0...10, using: &random))
        let expected = model.post(draft, now: now)
        do {
            let posted = try await store.post(draft, now: now)
            #expect(expected == posted)
        } catch CommentsStoreError.conflict(let id) {
            #expect(expected == nil && id == draft.id)
        }
    }

    private func page(
        _ random: inout SeededRandom, _ model: CommentsModel, _ store: SQLiteCommentsStore, _ step: Comment
    ) throws {
        let image = UUID(number: Int.random(in: 0...3, using: &random))
        let cursor = Int.random(in: 0...2, using: &random) == 0 ? nil : Int.random(in: 1...40, using: &random)
        let limit = Int.random(in: 1...6, using: &random)
        let id = cursor.map(UUID.init(number:))
        guard let expected = model.slice(limit, of: image, after: id) else {
            #expect(throws: CommentsStoreError.self, step) { try store.slice(limit, of: image, after: id) }
            return
        }
        #expect(try store.slice(limit, of: image, after: id) == expected, step)
    }

    private func walk(
        _ image: UUID, _ random: inout SeededRandom, _ model: CommentsModel, _ store: SQLiteCommentsStore
    ) throws {
        var (seen, cursor) = ([ImageComment](), UUID?.none)
        repeat {
            let page = CommentsPage(try store.slice(Int.random(in: 1...6, using: &random), of: image, after: cursor))
            seen += page.items
            cursor = page.nextAfterID
        } while cursor != nil
        #expect(seen == model.list(of: image))
    }
}

/// A model of a comments store: each comment has the place of its time and arrival, and keeps it when it is removed.
private struct CommentsModel {
    private struct Place: Comparable {
        let time: Date
        let arrival: Int

        static func < (a: Place, b: Place) -> Bool { (a.time, a.arrival) < (b.time, b.arrival) }
    }

    private struct Mark: Hashable {
        let image: UUID
        let id: UUID
    }

    private var comments: [UUID: (comment: ImageComment, place: Place)] = [:]
    private var removed: [Mark: Place] = [:]
    private var arrivals = 0

    var images: Set<UUID> { Set(comments.values.map(\.comment.imageID)) }

    var counts: [UUID: Int] { Dictionary(comments.values.map { ($0.comment.imageID, 1) }, uniquingKeysWith: +) }

    /// Nil for a conflict.
    mutating func post(_ draft: CommentDraft, now: Date) -> ImageComment? {
        if let (present, _) = comments[draft.id] { return draft.isRepeat(of: present) ? present : nil }
        let comment = draft.comment(now: now)
        arrivals += 1
        comments[draft.id] = (comment, Place(time: comment.createdAt, arrival: arrivals))
        removed[Mark(image: draft.imageID, id: draft.id)] = nil
        return comment
    }

    mutating func remove(_ id: UUID) -> Int {
        guard let (comment, place) = comments.removeValue(forKey: id) else { return 0 }
        removed[Mark(image: comment.imageID, id: id)] = place
        return 1
    }

    func list(of image: UUID) -> [ImageComment] { entries(of: image).map(\.comment) }

    private func entries(of image: UUID) -> [(comment: ImageComment, place: Place)] {
        comments.values.filter { $0.comment.imageID == image }.sorted { $0.place < $1.place }
    }

    /// Nil for an unknown cursor.
    func slice(_ limit: Int, of image: UUID, after id: UUID?) -> CommentsSlice? {
        var rest = entries(of: image)
        if let id {
            let present = comments[id].flatMap { $0.comment.imageID == image ? $0.place : nil }
            guard let place = present ?? removed[Mark(image: image, id: id)] else { return nil }
            rest = rest.filter { $0.place > place }
        }
        return CommentsSlice(items: rest.prefix(limit).map(\.comment), hasMore: rest.count > limit)
    }
}
