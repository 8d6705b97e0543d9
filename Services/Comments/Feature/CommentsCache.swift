import EdgeModel
import Foundation

/// Caches the last valid answer of an upstream for each image. Every store passes the specs in `Tests/CommentsTests`.
public protocol CommentsCache: Sendable {
    /// Stores an answer in place of the image's earlier one, completely or not at all. Over the store's limits it
    /// evicts the answers that were stored or renewed the longest time ago.
    /// - Returns: whether the answer is stored. An answer that alone exceeds the limits is not; the earlier one remains.
    func keep(_ answer: CachedComments) async throws -> Bool

    /// Updates the time of the answer with these validators, after the upstream has confirmed it.
    /// - Returns: whether that answer is still cached.
    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) async throws -> Bool

    /// Removes comments that the upstream has removed, unless it has sent their list since then. They remain cursors.
    /// - Parameter time: when the upstream said that it has removed them.
    func remove(_ ids: [UUID], at time: Date) async throws

    /// Deletes the answer of an image that the upstream does not have any more.
    func forget(_ imageID: UUID) async throws

    /// Returns the validators of the cached answer; nil when none is cached.
    func validators(of imageID: UUID) async throws -> AnswerValidators?

    /// Returns up to `limit` comments of the cached answer; nil when none is cached.
    /// - Throws: `CommentsStoreError.unknownCursor` for an id that was in none of the image's answers. A comment that
    ///   is missing in the last answer remains a valid cursor.
    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CachedSlice?

    /// Returns up to `limit` comments of each cached answer, from the first one; images without a cached answer are omitted.
    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages

    /// Returns the number of comments in the cached answer of each image; images without comments are omitted.
    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int]
}
