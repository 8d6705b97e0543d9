import Synchronization

/// The events that wait to be applied, in their order. A watcher that is ahead of the index waits, and the service holds its events.
final class EventInbox: Sendable {
    /// The maximum number of events.
    static let capacity = 256

    private struct State {
        var events: [IndexEvent] = []
        var producers: [UnsafeContinuation<Void, Never>] = []
        var consumer: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Adds an event; waits while the inbox is full. A cancelled task does not wait, and its event is lost.
    func put(_ event: IndexEvent) async {
        while !add(event), !Task.isCancelled {
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let waits = state.withLock { state in
                        guard state.events.count >= Self.capacity, !Task.isCancelled else { return false }
                        state.producers.append(continuation)
                        return true
                    }
                    if !waits { continuation.resume() }
                }
            } onCancel: {
                // The others wait again.
                for producer in takeProducers() { producer.resume() }
            }
        }
    }

    private func takeProducers() -> [UnsafeContinuation<Void, Never>] {
        state.withLock { state in
            defer { state.producers = [] }
            return state.producers
        }
    }

    private func add(_ event: IndexEvent) -> Bool {
        let (isAdded, consumer) = state.withLock { state in
            guard state.events.count < Self.capacity else { return (false, nil as UnsafeContinuation<Void, Never>?) }
            state.events.append(event)
            defer { state.consumer = nil }
            return (true, state.consumer)
        }
        consumer?.resume()
        return isAdded
    }

    var isEmpty: Bool { state.withLock(\.events.isEmpty) }

    /// Takes all events.
    func take() -> [IndexEvent] {
        let (events, producers) = state.withLock { state in
            defer { (state.events, state.producers) = ([], []) }
            return (state.events, state.producers)
        }
        for producer in producers { producer.resume() }
        return events
    }

    /// Waits for an event, until `time` has passed or the task is cancelled. Only one task may wait.
    func wait(for time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForEvent() }
            // The sleep ends early when an event arrives.
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForEvent() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.events.isEmpty, !Task.isCancelled else { return false }
                    state.consumer = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.consumer = nil }
                return state.consumer
            }?.resume()
        }
    }
}
