import Feed
import Foundation
import Synchronization

/// The items that readers were given lately, in memory: an edge that can store nothing still knows them.
final class DeliveredItems: Sendable {
    /// The most bytes of items that are remembered.
    static let budget = 16 << 20

    /// Two generations: when the younger one is full, the older one is forgotten.
    private struct State {
        var young: [UUID: FeedImage] = [:]
        var old: [UUID: FeedImage] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    /// The latest content of an item; nil for one that was not delivered, or too long ago.
    func item(_ id: UUID) -> FeedImage? { state.withLock { $0.young[id] ?? $0.old[id] } }

    func add(_ items: [FeedImage]) {
        state.withLock { state in
            for item in items {
                if let former = state.young[item.id] { state.bytes -= former.weight }
                if state.bytes + item.weight > Self.budget / 2 {
                    (state.old, state.young, state.bytes) = (state.young, [:], 0)
                    // One item alone may be larger than a generation.
                    guard item.weight <= Self.budget / 2 else { continue }
                }
                state.young[item.id] = item
                state.bytes += item.weight
            }
        }
    }
}
