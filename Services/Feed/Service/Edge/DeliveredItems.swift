import Feed
import Foundation
import Synchronization

/// The items that readers were given lately, in memory: an edge that can store nothing still knows them.
final class DeliveredItems: Sendable {
    /// The most bytes of items that are remembered.
    static let budget = 16 << 20

    private struct Delivered {
        let item: FeedImage
        let savedAt: Date
    }

    /// Two generations: when the younger one is full, the older one is forgotten.
    private struct State {
        var young: [UUID: Delivered] = [:]
        var old: [UUID: Delivered] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    /// The latest content of an item; nil for one that was not delivered, has expired or was delivered too long ago.
    func item(_ id: UUID, now: Date) -> FeedImage? {
        guard let delivered = state.withLock({ $0.young[id] ?? $0.old[id] }),
            FeedCachePolicy.isValid(savedAt: delivered.savedAt, at: now)
        else { return nil }
        return delivered.item
    }

    /// - Parameter savedAt: when the upstream showed the items.
    func add(_ items: [FeedImage], savedAt: Date) {
        state.withLock { state in
            for item in items {
                if let former = state.young.removeValue(forKey: item.id) { state.bytes -= former.item.weight }
                if state.bytes + item.weight > Self.budget / 2 {
                    (state.old, state.young, state.bytes) = (state.young, [:], 0)
                    // One item alone may be larger than a generation.
                    guard item.weight <= Self.budget / 2 else { continue }
                }
                state.young[item.id] = Delivered(item: item, savedAt: savedAt)
                state.bytes += item.weight
            }
        }
    }

    /// The upstream does not have these items any more.
    func remove(_ ids: [UUID]) {
        state.withLock { state in
            for id in ids {
                if let former = state.young.removeValue(forKey: id) { state.bytes -= former.item.weight }
                state.old[id] = nil
            }
        }
    }
}
