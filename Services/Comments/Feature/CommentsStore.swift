import Foundation

/// Stores the comments of every image, oldest first by `createdAt`; comments of the same second are in the order of
/// posting. Every store passes the specs in `Tests/CommentsTests`.
public protocol CommentsStore: Sendable {
    /// Returns up to `limit` comments of an image, from the first one or from the one after `id`.
    /// - Throws: `CommentsStoreError.unknownCursor` for an id that was never a comment of this image. A removed comment
    ///   remains a valid cursor until its id is posted again.
    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CommentsSlice

    /// Returns up to `limit` comments of each image, from the first one.
    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages

    /// Returns the number of comments of each image; images without comments are omitted.
    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int]

    /// Adds a comment at the place of its time, unless it already exists.
    /// - Throws: `CommentsStoreError.conflict` when the id exists with other content.
    func post(_ draft: CommentDraft, now: Date) async throws -> PostedComment

    /// - Returns: the number of removed comments, 1 or 0.
    func remove(_ id: UUID) async throws -> Int
}

public enum CommentsStoreError: Error, Equatable, Sendable {
    case unknownCursor(UUID)
    case conflict(UUID)
}

/// A comment after a post.
public struct PostedComment: Equatable, Sendable {
    /// The stored comment.
    public let comment: ImageComment

    /// Whether this post has stored it; false when it was there already.
    public let isNew: Bool

    public init(_ comment: ImageComment, isNew: Bool) {
        self.comment = comment
        self.isNew = isNew
    }
}
