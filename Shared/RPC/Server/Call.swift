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
    private(set) var request: Request
    let destination: Destination
    let deadline: NIODeadline
    let route: MethodTable.Route
    let connection: ServerConnection

    /// For counting it, once.
    var ticket: CallCounter.Ticket?

    /// For a call that is answered with one.
    let stream: ServerStream?

    /// What stands beside its parameters.
    private var attachments: [Attachment] = []

    private enum State {
        /// What stands beside its parameters has not come yet.
        case collecting(IncomingAttachments)
        /// It waits for its turn.
        case queued
        /// A worker has it; the task is there while the handler runs.
        case running(UnsafeCurrentTask?)
        /// It was passed on.
        case forwarded(cancel: @Sendable () -> Void)
        /// Its answer is on its way, which may take its time.
        case answering(OutgoingMessage)
        case over
    }

    private var state = State.queued

    init(
        _ request: Request, key: Key, to destination: Destination, deadline: NIODeadline, route: MethodTable.Route,
        stream: ServerStream?, on connection: ServerConnection
    ) {
        self.key = key
        self.request = request
        self.destination = destination
        self.deadline = deadline
        self.route = route
        self.stream = stream
        self.connection = connection
        ticket = connection.core.counter.begin(request.method)
    }

    /// Whether its handler has started.
    var hasBegun: Bool {
        switch state {
        case .collecting, .queued: false
        case .running, .forwarded, .answering, .over: true
        }
    }

    /// Whether nobody waits for its handler.
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

    /// Whether bytes may stand beside its answer: not in a batch, whose answers share one message.
    var takesAttachments: Bool {
        guard case .message = destination else { return false }
        return request.meta.attachments == true && connection.link.features.contains(.bytes)
    }

    /// What it holds of the connection's budget.
    private var heldBytes: Int { attachments.reduce(request.params.heldBytes) { $0 + $1.data.count } }

    /// Gives back what it holds; nothing reads its parameters any more.
    func release() {
        connection.link.budget.release(heldBytes)
        request.params = .emptyObject
        attachments = []
    }

    /// Whether it may start though nothing else may: its answer completes one that holds memory until then.
    var completesBatch: Bool {
        guard case .batch(let batch, _, _) = destination else { return false }
        return batch.bytes > 0
    }

    // MARK: Handling

    /// A worker takes it.
    func start() { state = .running(nil) }

    /// Handles the call in the current task, which must run on the event loop.
    /// - Returns: nil when nobody waits for the outcome.
    nonisolated(nonsending) func run(_ context: CallContext) async -> Result<Reply, any Error>? {
        guard !isAnswered else { return nil }
        let isolated = NIOLoopBound(self, eventLoop: connection.loop)
        let (route, payload) = (route, Payload(request.params, attachments: attachments))
        return await withUnsafeCurrentTask { task in
            // The task is kept only while it runs this very closure, and used only on the event loop, where this closure
            // begins and ends: so it is never used after its end.
            isolated.value.state = .running(task)
            let outcome: Result<Reply, any Error>
            do {
                outcome = .success(try await isolated.value.outcome(of: route, payload, context))
            } catch {
                outcome = .failure(error)
            }
            return isolated.value.end() ? outcome : nil
        }
    }

    private nonisolated(nonsending) func outcome(
        of route: MethodTable.Route, _ payload: Payload, _ context: CallContext
    ) async throws -> Reply {
        switch route {
        case .answer(let handler): return try await handler(payload, context)
        case .stream(let handler):
            guard let stream else { return Reply(.emptyObject) }
            let bound = NIOLoopBound(stream, eventLoop: connection.loop)
            try await handler(payload, context, ItemSink(stream, on: connection.loop))
            return Reply(StreamEnd(items: bound.value.items), as: StreamEnd.codec)
        // Passed on without a task (`forward`).
        case .forward: preconditionFailure("a forwarded call has no handler")
        }
    }

    /// Passes the call on.
    /// - Parameter whenDone: called once, on the event loop; with nil when nobody waits for the outcome.
    func forward(
        by forwarder: MethodTable.Forwarder, _ context: CallContext,
        whenDone: @escaping (Result<Reply, RPCError>?) -> Void
    ) {
        guard !isAnswered else { return whenDone(nil) }
        state = .running(nil)
        let bound = NIOLoopBound((call: self, whenDone: whenDone), eventLoop: connection.loop)
        let cancel = forwarder(
            request.method, Payload(request.params, attachments: attachments), context
        ) { outcome in
            bound.onLoop { $0.whenDone($0.call.end() ? outcome.map { Reply($0) } : nil) }
        }
        if case .running = state { state = .forwarded(cancel: cancel) }
    }

    /// - Returns: false when the call was answered while it ran, so that its outcome is of no interest.
    private func end() -> Bool {
        switch state {
        case .running, .forwarded:
            state = .over
            stream?.end()
            return true
        case .collecting, .queued, .answering, .over: return false
        }
    }

    // MARK: Ending

    /// Its answer is on its way.
    func answering(_ message: OutgoingMessage) { state = .answering(message) }

    /// The answer that is on its way.
    var answer: OutgoingMessage? {
        guard case .answering(let message) = state else { return nil }
        return message
    }

    /// The call is answered without its handler's outcome, which is told to stop.
    func abandon() {
        let before = state
        state = .over
        switch before {
        case .running(let task): task?.cancel()
        case .forwarded(let cancel): cancel()
        // No worker will see it.
        case .collecting: release()
        case .queued:
            connection.core.ended(self)
            connection.line.noteEnd()
        case .answering, .over: break
        }
        stream?.end()
    }
}
