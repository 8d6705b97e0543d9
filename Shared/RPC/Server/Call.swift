import NIOCore

/// One call under way on a server connection. Lives on the connection's event loop.
final class Call {
    /// Where the answer goes.
    enum Destination {
        case nowhere
        case message(RequestID)
        case batch(Batch, slot: Int, RequestID)

        /// The id that the answer carries.
        var id: RequestID? {
            switch self {
            case .nowhere: nil
            case .message(let id), .batch(_, _, let id): id
            }
        }
    }

    /// What names a call in the table of its connection: its id, or a number for a notification.
    enum Key: Hashable {
        case id(RequestID)
        case notification(Int)
    }

    let key: Key
    let request: Request
    let destination: Destination
    let deadline: NIODeadline
    let handler: MethodTable.Handler
    let connection: ServerConnection
    let ticket: CallCounter.Ticket

    private enum State {
        case queued
        case running(UnsafeCurrentTask?)
        case answered
    }

    private var state = State.queued

    init(
        _ request: Request, key: Key, to destination: Destination, deadline: NIODeadline,
        handler: @escaping MethodTable.Handler, on connection: ServerConnection
    ) {
        self.key = key
        self.request = request
        self.destination = destination
        self.deadline = deadline
        self.handler = handler
        self.connection = connection
        ticket = connection.core.counter.begin(request.method)
    }

    /// Whether its handler has started.
    var hasBegun: Bool {
        if case .queued = state { return false }
        return true
    }

    var isAnswered: Bool {
        if case .answered = state { return true }
        return false
    }

    /// Handles the call in the current task, which must run on the event loop.
    func run(_ context: CallContext) async -> Result<Reply, any Error>? {
        guard !isAnswered else { return nil }
        let isolated = NIOLoopBound(self, eventLoop: connection.loop)
        let (handler, params) = (handler, request.params)
        return await withUnsafeCurrentTask { task in
            // The task is kept only while it runs this very closure, and used only on the event loop, where this closure
            // begins and ends: so it is never used after its end.
            isolated.value.state = .running(task)
            let outcome: Result<Reply, any Error>
            do {
                outcome = .success(try await handler(params, context))
            } catch {
                outcome = .failure(error)
            }
            return isolated.value.end() ? outcome : nil
        }
    }

    /// - Returns: false when the call was answered while it ran, so that its outcome is of no interest.
    private func end() -> Bool {
        defer { state = .answered }
        return !isAnswered
    }

    /// The call is answered without its handler's outcome, which is told to stop.
    func abandon() {
        if case .running(let task) = state { task?.cancel() }
        state = .answered
    }
}
