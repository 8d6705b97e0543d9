import Foundation

/// A store of an authority whose entries are copied into another store, in the order in which they were added.
public protocol CopiedStore<Entry>: Sendable {
    associatedtype Entry: CopiedEntry

    /// The first entries after a place, with their places. Places are those of this store, and grow with the order.
    func entries(after place: Int64, limit: Int) async throws -> [(place: Int64, entry: Entry)]

    /// Adds entries as they are, the oldest first.
    func add(_ entries: [Entry]) async throws

    func remove(_ entries: [Entry]) async throws

    /// Whether the store has the entry, or had it until it was removed.
    func hasHad(_ entry: Entry) async throws -> Bool
}

public protocol CopiedEntry: Equatable, Sendable {
    /// Equal entries have the same bytes in all stores.
    var bytes: [UInt8] { get }
}
