import NIOCore

/// One call under way on a server connection, unless it is answered where it is read. Lives on the connection's event loop.
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
    private(set) var request: Request
    let destination: Destination
    let deadline: NIODeadline
    let method: ServedMethod
    private let handler: MethodTable.Handler
    let connection: ServerConnection

    /// Nil once its end is noted.
    var began: NIODeadline?

    /// Its place among the calls of the process that have a handler, or wait for its turn.
    var place = 0

    /// For a call that is answered with one.
    let stream: ServerStream?

    /// What stands beside its parameters.
    private var attachments: [Attachment] = []

    private enum State {
        /// What stands beside its parameters has not come yet.
        case collecting(IncomingAttachments)
        /// It waits for its turn.
        case queued
        /// Its handler runs. The task is there once the handler waits.
        case running(Task<Void, Never>?)
        /// It was passed on.
        case forwarded(cancel: @Sendable () -> Void)
        /// Its answer is on its way, which may take its time.
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

    /// Whether its handler's outcome is not needed any more.
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

    /// What is still to come beside its parameters.
    var missing: IncomingAttachments? {
        guard case .collecting(let attachments) = state else { return nil }
        return attachments
    }

    /// What it holds of the connection's budget.
    private var heldBytes: Int { attachments.reduce(request.params.heldBytes) { $0 + $1.data.count } }

    /// Gives back what it holds; nothing reads its parameters any more.
    func release() {
        connection.transport.budget.release(heldBytes)
        request.params = .emptyObject
        attachments = []
    }

    // MARK: Handling

    /// Runs its handler, at least until that waits for something.
    func start() {
        let context = connection.context(of: request, to: destination, deadline: deadline)
        let payload = Payload(request.params, attachments: attachments)
        state = .running(nil)
        switch handler {
        case .atOnce(let handler): handlerEnded(Result { try context.trace.during { try handler(payload, context) } })
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

    /// Runs a handler in a task of its own, which begins here and now. The server owns the task: it is told when the task
    /// ends, and `RPCServer.run` does not return before that.
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

    /// Its answer is on its way.
    func answering(_ message: OutgoingMessage) { state = .answering(message) }

    /// The answer that is on its way.
    var answer: OutgoingMessage? {
        guard case .answering(let message) = state else { return nil }
        return message
    }

    /// The call is answered without its handler's outcome; the handler is cancelled.
    func abandon() {
        let before = state
        state = .over
        switch before {
        case .running(let task): task?.cancel()
        case .forwarded(let cancel): cancel()
        case .collecting: release()
        case .queued:
            connection.core.ended(self)
            connection.line.noteEnd()
        case .answering, .over: break
        }
        stream?.end()
    }
}

extension TraceContext {
    /// Runs a handler with this as the current trace. A call without a trace has nothing to pass on.
    func during<Answer>(_ handler: () throws -> Answer) rethrows -> Answer {
        parent == nil ? try handler() : try Self.$current.withValue(self, operation: handler)
    }

    fileprivate nonisolated(nonsending) func during<Answer>(
        _ handler: @Sendable () async throws -> Answer
    ) async rethrows -> Answer {
        parent == nil ? try await handler() : try await Self.$current.withValue(self, operation: handler)
    }
}
