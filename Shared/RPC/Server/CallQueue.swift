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
        call.connection.line.add(call)
        offerTurn(to: call.connection)
    }

    /// Queues a connection unless it is already queued or has no call that may start.
    func offerTurn(to connection: ServerConnection) {
        guard !connection.line.hasTurn, connection.mayStartNext else { return }
        connection.line.hasTurn = true
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
        connection.line.hasTurn = false
        let call = connection.mayStartNext ? connection.line.popFirst() : nil
        offerTurn(to: connection)
        schedule()
        call?.start()
    }
}

/// The waiting calls of one connection.
struct CallLine {
    private var calls = CircularBuffer<Call>()

    /// Whether the connection is queued for a turn.
    var hasTurn = false

    /// How many ended calls may always stay in the queue; more must not outnumber the waiting ones.
    private static let passedOver = 64
    private var ended = 0

    /// Whether a new call would be the next to start.
    var isEmpty: Bool { calls.isEmpty }

    mutating func add(_ call: Call) { calls.append(call) }

    /// The next call to start.
    var first: Call? {
        mutating get {
            while let call = calls.first, call.isAnswered {
                calls.removeFirst()
                ended -= 1
            }
            return calls.first
        }
    }

    mutating func popFirst() -> Call? {
        guard first != nil else { return nil }
        return calls.popFirst()
    }

    /// Records that one of the calls ended before its turn.
    mutating func noteEnd() {
        ended += 1
        guard ended > Self.passedOver, 2 * ended > calls.count else { return }
        calls.removeAll { $0.isAnswered }
        ended = 0
    }
}
