import Timing

/// The events that wait to be applied, in their order. A watcher that is ahead of the index waits, and the service holds its events.
final class EventInbox: Sendable {
    /// The maximum number of events.
    static let capacity = 256

    private let events = Watched<[IndexEvent]>([])
    private let clock: any MonotonicClock

    init(_ clock: any MonotonicClock) { self.clock = clock }

    /// Adds an event; waits while the inbox is full. A cancelled task does not wait, and its event is lost.
    func put(_ event: IndexEvent) async {
        while !add(event), !Task.isCancelled { await events.wait { $0.count < Self.capacity } }
    }

    private func add(_ event: IndexEvent) -> Bool {
        events.withLock { events in
            guard events.count < Self.capacity else { return false }
            events.append(event)
            return true
        }
    }

    var isEmpty: Bool { events.withLock(\.isEmpty) }

    /// Takes all events.
    func take() -> [IndexEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Waits for an event, until `time` has passed or the task is cancelled.
    func wait(for time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.events.wait { !$0.isEmpty } }
            // The sleep ends early when an event arrives.
            group.addTask { try? await self.clock.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }
}
