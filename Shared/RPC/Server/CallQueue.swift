import NIOCore

/// The calls that wait to be handled, and the workers that handle them. Lives on the event loop.
///
/// Connections take turns, a call each: one that sends thousands of calls does not delay the call of another.
///
/// A worker is a task that handles one call after the other, so that a call needs no task of its own. One worker at a time
/// is woken; before it begins with a call it wakes the next if there is more to do. So handlers that never wait share one
/// worker, and one that waits holds up nobody.
final class CallQueue {
    /// The connections with a call that may start, each once, the one whose turn it is in front.
    private var turns = CircularBuffer<ServerConnection>()
    private var idle: [UnsafeContinuation<Void, Never>] = []

    /// A worker is on its way and has not looked at the queue yet.
    private var isWaking = false
    private var isClosed = false

    /// Asks for one more worker.
    private let hire: AsyncStream<Void>.Continuation

    /// How many workers are kept for when they are needed again.
    private static let idleLimit = 64

    init(hire: AsyncStream<Void>.Continuation) { self.hire = hire }

    func add(_ call: Call) {
        call.connection.line.add(call)
        offerTurn(to: call.connection)
    }

    /// Gives a connection a turn if it waits for one and has a call that may start.
    func offerTurn(to connection: ServerConnection) {
        if !connection.line.hasTurn, connection.mayStartNext {
            connection.line.hasTurn = true
            turns.append(connection)
        }
        wake()
    }

    /// For a worker: the next call.
    /// - Parameter isNew: whether the worker asks for the first time.
    /// - Returns: nil when the worker is not needed any more.
    nonisolated(nonsending) func next(isNew: Bool) async -> Call? {
        if isNew { isWaking = false }
        while !isClosed || !turns.isEmpty {
            if let call = take() { return call }
            guard !isClosed, idle.count < Self.idleLimit else { return nil }
            await withUnsafeContinuation { idle.append($0) }
            isWaking = false
        }
        return nil
    }

    /// For a worker that was told to stop, because its call was: others go on.
    func leave() { wake() }

    /// No calls will come any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        hire.finish()
        let idle = idle
        self.idle = []
        for worker in idle { worker.resume() }
    }

    private func take() -> Call? {
        while let connection = turns.popFirst() {
            connection.line.hasTurn = false
            // Without room for answers it gets its next turn when there is some.
            guard connection.mayStartNext, let call = connection.line.popFirst() else { continue }
            call.start()
            offerTurn(to: connection)
            return call
        }
        return nil
    }

    private func wake() {
        guard !turns.isEmpty, !isWaking else { return }
        isWaking = true
        if let worker = idle.popLast() { worker.resume() } else { hire.yield() }
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
