import Comments
import Foundation

/// The model of a store of comments: one list for each image.
actor InMemoryCommentsStore: CommentsStore {
    private struct Place {
        let id: UUID
        let createdAt: Date

        /// Nil for a removed comment; its place remains valid as a cursor.
        var comment: ImageComment?
    }

    /// By image: the places in the order of their time, those of the same second in the order of posting.
    private var places: [UUID: [Place]] = [:]

    private var lastPost: Date?

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) throws -> CommentsSlice {
        var rest = places[imageID, default: []][...]
        if let id {
            guard let index = rest.firstIndex(where: { $0.id == id }) else {
                throw CommentsStoreError.unknownCursor(id)
            }
            rest = rest[(index + 1)...]
        }
        let comments = rest.compactMap(\.comment)
        return CommentsSlice(items: Array(comments.prefix(limit)), hasMore: comments.count > limit)
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) throws -> FirstPages {
        try FirstPages(of: imageIDs) { try slice(limit, of: $0, after: nil) }
    }

    func counts(of imageIDs: [UUID]) -> [UUID: Int] {
        places.filter { imageIDs.contains($0.key) }.mapValues { $0.count { $0.comment != nil } }.filter { $0.value > 0 }
    }

    func post(_ draft: CommentDraft, now: Date) throws -> PostedComment {
        if let present = places.values.joined().compactMap(\.comment).first(where: { $0.id == draft.id }) {
            guard draft.isRepeat(of: present) else { throw CommentsStoreError.conflict(draft.id) }
            return PostedComment(present, isNew: false)
        }
        let time = draft.createdAt == nil ? PostTime.time(at: now, last: lastPost) : now
        let comment = draft.comment(now: time)
        if draft.createdAt == nil { lastPost = comment.createdAt }
        var list = places[comment.imageID, default: []].filter { $0.id != comment.id }
        list.insert(
            Place(id: comment.id, createdAt: comment.createdAt, comment: comment),
            at: list.firstIndex { $0.createdAt > comment.createdAt } ?? list.endIndex)
        places[comment.imageID] = list
        return PostedComment(comment, isNew: true)
    }

    func remove(_ id: UUID) -> Int {
        for (image, list) in places {
            guard let index = list.firstIndex(where: { $0.comment?.id == id }) else { continue }
            places[image]?[index].comment = nil
            return 1
        }
        return 0
    }
}
