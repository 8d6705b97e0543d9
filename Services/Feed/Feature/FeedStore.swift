import Foundation

/// Stores the feed in order. Every store passes the specs in `Tests/FeedTests`.
public protocol FeedStore: Sendable {
    /// Returns up to `limit` items at `cursor`.
    /// - Throws: `FeedStoreError.unknownCursor` for an id that was never an item. A removed item remains a valid
    ///   cursor.
    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice

    func item(_ id: UUID) async throws -> FeedImage?

    /// The items with these ids, in the order of the ids. Unknown ids are left out.
    func items(_ ids: [UUID]) async throws -> [FeedImage]

    /// The first items with ids in a range, by their ids.
    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage]

    /// The number of items.
    func count() async throws -> Int

    /// Adds items at the top, in feed order: publishing [A, B] onto [C] gives A, B, C. All items are written, or none:
    /// after an error nothing was written.
    /// - Parameter now: the date of the new items that have none.
    /// - Returns: the new items, in feed order. Items that already exist with the same content keep their position, their
    ///   date, their hints and their details; hints and details that they lack are added, a date is not.
    /// - Throws: `FeedStoreError.conflict` for an id that exists with other content.
    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage]

    /// Removes items: all of them are written, or none.
    /// - Returns: the ids that existed, in feed order.
    func remove(_ ids: [UUID]) async throws -> [UUID]

    /// Checks everything in the store.
    /// - Throws: an error when stored data is inconsistent.
    func checkIntegrity() async throws
}

public enum FeedStoreError: Error, Equatable, Sendable {
    case unknownCursor(UUID)
    case conflict(UUID)
}
