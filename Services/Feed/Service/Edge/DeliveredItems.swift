import Feed
import Foundation
import Synchronization

/// The items that were recently sent to readers, in memory, for an edge whose cache cannot be written.
final class DeliveredItems: Sendable {
    /// The maximum size of the items, in bytes.
    static let budget = 16 << 20

    /// Two generations: when the younger one is full, the older one is evicted.
    private struct State {
        var young: [UUID: CachedFeedItem] = [:]
        var old: [UUID: CachedFeedItem] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    /// The latest content of an item; nil when it was not delivered, has expired or was evicted.
    func item(_ id: UUID, now: Date) -> CachedFeedItem? {
        guard let delivered = state.withLock({ $0.young[id] ?? $0.old[id] }),
            FeedCachePolicy.isValid(savedAt: delivered.savedAt, at: now)
        else { return nil }
        return delivered
    }

    /// - Parameter savedAt: when the upstream showed the items.
    func add(_ items: [FeedImage], savedAt: Date) {
        state.withLock { state in
            for item in items {
                if let former = state.young.removeValue(forKey: item.id) { state.bytes -= former.image.weight }
                if state.bytes + item.weight > Self.budget / 2 {
                    (state.old, state.young, state.bytes) = (state.young, [:], 0)
                    // A single item may exceed the size of a generation.
                    guard item.weight <= Self.budget / 2 else { continue }
                }
                state.young[item.id] = CachedFeedItem(item, savedAt: savedAt)
                state.bytes += item.weight
            }
        }
    }

    /// Removes items that the upstream no longer has.
    func remove(_ ids: [UUID]) {
        state.withLock { state in
            for id in ids {
                if let former = state.young.removeValue(forKey: id) { state.bytes -= former.image.weight }
                state.old[id] = nil
            }
        }
    }
}
