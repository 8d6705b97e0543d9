import Comments
import Foundation
import RPCTestKit
import Testing

@testable import comments_service

/// Random posts, imports and reads of the SQLite store, compared with the store in memory.
@Suite struct CommentsModelTests {
    private static let seeds = 1...UInt64(ModelSeeds.count(usual: 20))
    private static let steps = 150
    private static let images = (0...3).map(UUID.init(number:))

    @Test(arguments: seeds) func `every answer equals that of the model`(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            let store = SQLiteCommentsStore(try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite"))
            let model = InMemoryCommentsStore()
            var random = SeededRandom(seed: seed)
            for step in 1...Self.steps {
                let operation = Self.operation(&random)
                let expected = try await Answer(model, operation)
                #expect(try await Answer(store, operation) == expected, "step \(step)")
            }
            for image in Self.images {
                let expected = try await model.slice(1_000, of: image, after: nil).items
                #expect(try await walk(image, &random, store) == expected)
            }
        }
    }

    private enum Answer: Equatable {
        case comment(ImageComment)
        case removed(Int)
        case slice(CommentsSlice)
        case counts([UUID: Int])
        case failed(CommentsStoreError)

        init(_ store: any CommentsStore, _ operation: Operation) async throws {
            do {
                self = try await operation(store)
            } catch let error as CommentsStoreError {
                self = .failed(error)
            }
        }
    }

    private typealias Operation = (any CommentsStore) async throws -> Answer

    private static func operation(_ random: inout SeededRandom) -> Operation {
        let id = UUID(number: Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let draft = draft(&random)
            // Sometimes the clock is set back.
            let now = moment(Double.random(in: 0...10, using: &random))
            return { .comment(try await $0.post(draft, now: now).comment) }
        case 4..<6: return { .removed(try await $0.remove(id)) }
        case 6..<9:
            let image = images[Int.random(in: images.indices, using: &random)]
            let cursor = Int.random(in: 0...2, using: &random) == 0 ? nil : id
            let limit = Int.random(in: 1...6, using: &random)
            return { .slice(try await $0.slice(limit, of: image, after: cursor)) }
        default: return { .counts(try await $0.counts(of: images)) }
        }
    }

    private static func draft(_ random: inout SeededRandom) -> CommentDraft {
        let time = Bool.random(using: &random) ? moment(Double.random(in: -5...15, using: &random)) : nil
        return CommentsTests.draft(
            Int.random(in: 1...40, using: &random), on: Int.random(in: 0...2, using: &random),
            saying: Int.random(in: 0...5, using: &random) == 0 ? "Ugly!" : "Lovely!", at: time)
    }

    private func walk(
        _ image: UUID, _ random: inout SeededRandom, _ store: SQLiteCommentsStore
    ) async throws -> [ImageComment] {
        var (seen, cursor) = ([ImageComment](), UUID?.none)
        repeat {
            let page = CommentsPage(
                try await store.slice(Int.random(in: 1...6, using: &random), of: image, after: cursor))
            seen += page.items
            cursor = page.nextAfterID
        } while cursor != nil
        return seen
    }
}
