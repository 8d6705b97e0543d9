import Foundation

/// Keeps the comments of every image, oldest first by `createdAt`; comments of the same second in the order in which they
/// were posted. Every store passes the specs in `Tests/CommentsTests`.
public protocol CommentsStore: Sendable {
    /// Up to `limit` comments of an image, from its first one or from the one that follows `id`.
    /// - Throws: `CommentsStoreError.unknownCursor` for what never was a comment of this image. One that was removed
    ///   still marks its place, until its id is posted anew.
    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CommentsSlice

    /// How many comments each of the images has; images without comments are left out.
    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int]

    /// Adds a comment at the place of its time, unless it is there already.
    /// - Returns: the comment as it is kept.
    /// - Throws: `CommentsStoreError.conflict` when the id is there with other content.
    func post(_ draft: CommentDraft, now: Date) async throws -> ImageComment

    /// - Returns: how many were there, one or none.
    func remove(_ id: UUID) async throws -> Int
}

public enum CommentsStoreError: Error, Equatable, Sendable {
    case unknownCursor(UUID)
    case conflict(UUID)
}
