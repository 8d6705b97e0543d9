import NIOCore

/// The calls that could not start while reading, by connection. Lives on the event loop.
///
/// Connections take turns, one call each, so that one with thousands of calls does not delay the others.
final class CallQueue {
    /// The connections with a call that may start, in order of their turns, each at most once.
    private var turns = CircularBuffer<ServerConnection>()
    private var isScheduled = false
    private let executor: LoopExecutor

    init(_ executor: LoopExecutor) { self.executor = executor }

    func add(_ call: Call) {
        call.connection.waiting.append(call)
        offerTurn(to: call.connection)
    }

    /// Queues a connection unless it is already queued or has no call that may start.
    func offerTurn(to connection: ServerConnection) {
        guard !connection.hasTurn, connection.mayStartNext else { return }
        connection.hasTurn = true
        turns.append(connection)
        schedule()
    }

    private func schedule() {
        guard !isScheduled, !turns.isEmpty else { return }
        isScheduled = true
        executor.enqueue { self.startNext() }
    }

    private func startNext() {
        isScheduled = false
        // A connection whose answers are at their limit is queued again when they fall below it.
        guard let connection = turns.popFirst() else { return }
        connection.hasTurn = false
        let call = connection.mayStartNext ? connection.waiting.popFirst() : nil
        offerTurn(to: connection)
        schedule()
        call?.start()
    }
}
