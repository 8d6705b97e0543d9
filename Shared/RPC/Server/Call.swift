import NIOCore

/// A call under way on a server connection, except those answered while reading. Lives on the connection's event loop.
final class Call {
    /// Where to send the answer.
    enum Destination {
        case nowhere
        case message(RequestID)
        case batch(Batch, slot: Int, RequestID)

        /// The id of the answer.
        var id: RequestID? {
            switch self {
            case .nowhere: nil
            case .message(let id), .batch(_, _, let id): id
            }
        }
    }

    /// The key of a call in its connection's table: its id, or a number for a notification.
    enum Key: Hashable {
        case id(RequestID)
        case notification(Int)
    }

    let key: Key
    private(set) var request: Request
    let destination: Destination
    let deadline: NIODeadline
    let method: ServedMethod
    private let handler: MethodTable.Handler
    let connection: ServerConnection

    /// Nil once the end of the call is recorded.
    var began: NIODeadline?

    /// The index in `ServerCore.underWay`.
    var place = 0

    /// Set for a call that is answered with a stream.
    let stream: ServerStream?

    /// Attachments of the request.
    private var attachments: [Attachment] = []

    private enum State {
        /// Waits for the request's attachments.
        case collecting(IncomingAttachments)
        /// Waits for its turn.
        case queued
        /// Its handler runs. The task is set once the handler suspends.
        case running(Task<Void, Never>?)
        /// Forwarded to another service.
        case forwarded(cancel: @Sendable () -> Void)
        /// Its answer is being sent in several frames.
        case answering(OutgoingMessage)
        case over
    }

    private var state = State.queued

    init(
        _ request: Request, key: Key, to destination: Destination, began: NIODeadline?, deadline: NIODeadline,
        method: ServedMethod, handler: MethodTable.Handler, stream: ServerStream?, on connection: ServerConnection
    ) {
        self.key = key
        self.request = request
        self.destination = destination
        self.began = began
        self.deadline = deadline
        self.method = method
        self.handler = handler
        self.stream = stream
        self.connection = connection
    }

    /// Whether its handler has started.
    var hasBegun: Bool {
        switch state {
        case .collecting, .queued: false
        case .running, .forwarded, .answering, .over: true
        }
    }

    /// Whether the outcome of its handler is not needed any more.
    var isAnswered: Bool {
        switch state {
        case .collecting, .queued, .running, .forwarded: false
        case .answering, .over: true
        }
    }

    // MARK: Attachments of the request

    func collect(_ attachments: IncomingAttachments) { state = .collecting(attachments) }

    func collected(_ attachments: [Attachment]) {
        self.attachments = attachments
        state = .queued
    }

    /// The request's attachments that are still incomplete.
    var missing: IncomingAttachments? {
        guard case .collecting(let attachments) = state else { return nil }
        return attachments
    }

    /// The bytes that it counts against the connection's budget.
    private var heldBytes: Int { attachments.reduce(request.params.heldBytes) { $0 + $1.data.count } }

    /// Releases its parameters and attachments and their share of the budget.
    func release() {
        connection.transport.budget.release(heldBytes)
        request.params = .emptyObject
        attachments = []
    }

    // MARK: Handling

    /// Starts its handler, which runs until it first suspends.
    func start() {
        let context = connection.context(of: request, to: destination, deadline: deadline)
        let payload = Payload(request.params, attachments: attachments)
        state = .running(nil)
        switch handler {
        case .atOnce(_, let handler) where payload.isLarge: run(context.trace) { try await handler(payload, context) }
        case .atOnce(let handler, _):
            handlerEnded(Result { try context.trace.during { try handler(payload, context) } })
        case .inTask(let handler): run(context.trace) { try await handler(payload, context) }
        case .stream(let handler):
            guard let stream else { return handlerEnded(.success(Reply(.emptyObject))) }
            let bound = NIOLoopBound(stream, eventLoop: connection.loop)
            let items = ItemSink(stream, on: connection.loop)
            run(context.trace) {
                try await handler(payload, context, items)
                return Reply(StreamEnd(items: bound.value.items), as: StreamEnd.codec)
            }
        case .forwarder(let forwarder):
            let bound = NIOLoopBound(self, eventLoop: connection.loop)
            let cancel = forwarder(request.method, payload, context) { outcome in
                bound.onLoop { $0.handlerEnded(outcome.map { Reply($0) }.mapError { $0 }) }
            }
            if case .running = state { state = .forwarded(cancel: cancel) }
        }
    }

    /// Runs a handler in a task, which starts immediately. The server owns the task: the task reports its end to the
    /// server, and `RPCServer.run` does not return before that.
    private func run(_ trace: TraceContext, _ handler: @escaping @Sendable () async throws -> Reply) {
        let isolated = NIOLoopBound(self, eventLoop: connection.loop)
        let task = Task.immediateDetached(executorPreference: connection.core.executor) {
            let outcome: Result<Reply, any Error>
            do {
                outcome = .success(try await trace.during(handler))
            } catch {
                outcome = .failure(error)
            }
            isolated.value.handlerEnded(outcome)
        }
        if case .running = state { state = .running(task) } else { task.cancel() }
    }

    private func handlerEnded(_ outcome: Result<Reply, any Error>) {
        if !isAnswered {
            state = .over
            stream?.end()
            connection.finish(self, outcome.mapError { connection.core.answer(for: $0, to: request) })
        }
        connection.core.ended(self)
    }

    // MARK: Ending

    /// Records that its answer is being sent.
    func answering(_ message: OutgoingMessage) { state = .answering(message) }

    /// The answer that is being sent.
    var answer: OutgoingMessage? {
        guard case .answering(let message) = state else { return nil }
        return message
    }

    /// Ends the call without its handler's outcome, and cancels the handler.
    func abandon() {
        let before = state
        state = .over
        switch before {
        case .running(let task): task?.cancel()
        case .forwarded(let cancel): cancel()
        case .collecting: release()
        case .queued:
            connection.core.ended(self)
            connection.waiting.noteLeft()
        case .answering, .over: break
        }
        stream?.end()
    }
}

extension TraceContext {
    /// Runs a handler with this trace as the current one, if there is a trace.
    func during<Answer>(_ handler: () throws -> Answer) rethrows -> Answer {
        parent == nil ? try handler() : try Self.$current.withValue(self, operation: handler)
    }

    fileprivate nonisolated(nonsending) func during<Answer>(
        _ handler: @Sendable () async throws -> Answer
    ) async rethrows -> Answer {
        parent == nil ? try await handler() : try await Self.$current.withValue(self, operation: handler)
    }
}
