import Foundation

/// Keeps the feed in order. Every store passes the specs in `Tests/FeedTests`.
public protocol FeedStore: Sendable {
    /// Up to `limit` items at `cursor`.
    /// - Throws: `FeedStoreError.unknownCursor` for an item that never was. One that was removed still marks its place.
    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice

    func item(_ id: UUID) async throws -> FeedImage?

    /// Puts items on top, in feed order: publishing [A, B] onto [C] gives A, B, C. All or none: whatever it throws,
    /// nothing was written.
    /// - Returns: those that are new, in feed order; those that are there already, with the same content, stay where
    ///   they are.
    /// - Throws: `FeedStoreError.conflict` for an item that is there with other content.
    func publish(_ items: [FeedImage]) async throws -> [FeedImage]

    /// Takes items out. All or none, as for publishing.
    /// - Returns: those that were there, in feed order.
    func remove(_ ids: [UUID]) async throws -> [UUID]

    /// Looks at everything that is stored.
    /// - Throws: `FeedStoreError.damaged` when some of it cannot be right.
    func checkIntegrity() async throws
}

public enum FeedStoreError: Error, Equatable, Sendable {
    case unknownCursor(UUID)
    case conflict(UUID)
    case damaged(String)
}
