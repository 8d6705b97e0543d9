import NIOCore

/// The connections with calls that could not start where they were read. Lives on the event loop.
///
/// Connections take turns, a call each: one that sends thousands of calls does not delay the call of another.
final class CallQueue {
    /// The connections with a call that may start, each once, the one whose turn it is in front.
    private var turns = CircularBuffer<ServerConnection>()
    private var isScheduled = false
    private let executor: LoopExecutor

    init(_ executor: LoopExecutor) { self.executor = executor }

    func add(_ call: Call) {
        call.connection.line.add(call)
        offerTurn(to: call.connection)
    }

    /// Gives a connection a turn if it waits for one and has a call that may start.
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
        // Without room for answers a connection gets its next turn when there is some.
        guard let connection = turns.popFirst() else { return }
        connection.line.hasTurn = false
        let call = connection.mayStartNext ? connection.line.popFirst() : nil
        offerTurn(to: connection)
        schedule()
        call?.start()
    }
}

/// The calls of one connection that wait for their turn.
struct CallLine {
    private var calls = CircularBuffer<Call>()

    /// Whether the connection is among those that take turns.
    var hasTurn = false

    /// How many calls that ended while they waited may stand between the others, beside as many as wait.
    private static let passedOver = 64
    private var ended = 0

    /// Whether a call that comes now is the next.
    var isEmpty: Bool { calls.isEmpty }

    mutating func add(_ call: Call) { calls.append(call) }

    /// The call that is next.
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

    /// One of the calls has ended before its turn.
    mutating func noteEnd() {
        ended += 1
        guard ended > Self.passedOver, 2 * ended > calls.count else { return }
        calls.removeAll { $0.isAnswered }
        ended = 0
    }
}
