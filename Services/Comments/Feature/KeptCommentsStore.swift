import Foundation

/// Keeps the last good answer of an upstream for each image. Every store passes the specs in `Tests/CommentsTests`.
public protocol KeptCommentsStore: Sendable {
    /// Keeps an answer in the place of the image's earlier one, as a whole or not at all; when there is no room, the
    /// answers that were kept or renewed the longest time ago go.
    /// - Returns: whether it is kept: an answer over the store's limits is not, and the earlier one stays.
    func keep(_ answer: KeptComments) async throws -> Bool

    /// The upstream has confirmed the answer that has these validators.
    /// - Returns: whether that answer is still kept.
    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) async throws -> Bool

    /// Those of the kept answer; nil when none is kept.
    func validators(of imageID: UUID) async throws -> AnswerValidators?

    /// Up to `limit` comments of the kept answer; nil when none is kept.
    /// - Throws: `CommentsStoreError.unknownCursor` for what was in none of the image's answers. A comment that the last
    ///   one has no more still marks its place.
    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> KeptSlice?

    /// How many comments the kept answers of the images have; images without comments are left out.
    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int]
}
