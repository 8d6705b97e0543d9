import JSON
import NIOCore

/// What a server answers: handlers by method name, and the contracts that describe them.
public struct MethodTable: Sendable {
    typealias Handler = @Sendable (Payload, CallContext) async throws -> Reply
    typealias StreamHandler = @Sendable (Payload, CallContext, ItemSink<Payload>) async throws -> Void

    public let contracts: [Contract]
    private var handlers: [String: Handler] = [:]
    private var streamHandlers: [String: StreamHandler] = [:]

    /// Passes a call on, on the event loop of its connection and without a task. Calls `completion` once, possibly before it
    /// returns.
    /// - Returns: cancels the call where it was passed to; `completion` is called nevertheless.
    public typealias Forwarder =
        @Sendable (
            _ method: String, _ params: Payload, CallContext,
            _ completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
        ) -> @Sendable () -> Void

    /// Answers every method that has no handler here.
    public var forward: Forwarder?

    /// Answers every stream that has no handler here.
    public var forwardStream: (@Sendable (String, Payload, CallContext, ItemSink<Payload>) async throws -> Void)?

    /// Whether there is a service of this name to forward to; statistics know no others.
    public var isForwarded: @Sendable (String) -> Bool = { _ in false }

    public init(_ contracts: Contract...) { self.contracts = contracts }

    /// Answers a method.
    ///
    /// The body runs on the connection's event loop (see `LoopExecutor`): it must not block. It is cancelled when the
    /// caller cancels, goes away or runs out of time. An `RPCError` of a kind that the method declares, or that every
    /// method may answer, reaches the caller; every other error is logged and becomes `internal`.
    public mutating func handle<Params, Answer>(
        _ method: Method<Params, Answer>, _ body: @escaping @Sendable (Params, CallContext) async throws -> Answer
    ) {
        handlers[method.name] = { payload, context in
            let params = try payload.params(as: method.params)
            do {
                return Reply(try await body(params, context), as: method.answer)
            } catch let error as RPCError where !error.kind.isUniversal && !method.errors.contains(error.kind) {
                throw UndeclaredError(method: method.name, error: error)
            }
        }
    }

    /// Answers a method with a stream, which ends when the body returns. As `handle` in all else.
    public mutating func handle<Params, Item>(
        _ method: StreamMethod<Params, Item>,
        _ body: @escaping @Sendable (Params, CallContext, ItemSink<Item>) async throws -> Void
    ) {
        streamHandlers[method.name] = { payload, context, sink in
            let params = try payload.params(as: method.params)
            do {
                try await body(params, context, sink.of(method.item))
            } catch let error as RPCError where !error.kind.isUniversal && !method.errors.contains(error.kind) {
                throw UndeclaredError(method: method.name, error: error)
            }
        }
    }

    /// Answers a method unless the table does so already.
    mutating func handleByDefault<Params, Answer>(
        _ method: Method<Params, Answer>, _ body: @escaping @Sendable (Params, CallContext) async throws -> Answer
    ) {
        if handlers[method.name] == nil { handle(method, body) }
    }

    /// Each once, also of what is answered both ways.
    var names: Set<String> { Set(handlers.keys).union(streamHandlers.keys) }

    /// What answers a request, and how.
    enum Route {
        case answer(Handler)
        case stream(StreamHandler)
        case forward(Forwarder)
    }

    /// Finds what answers.
    /// - Throws: `method_not_found`, or `invalid_params` for a stream that is not called as one and the other way round.
    func route(_ method: String, asStream: Bool) throws(RPCError) -> Route {
        switch (asStream, handlers[method], streamHandlers[method]) {
        case (false, let handler?, _): return .answer(handler)
        case (true, _, let handler?): return .stream(handler)
        case (false, nil, .some):
            throw RPCError(
                .invalidParams, "meta.stream: must be true, \(method) answers with a stream", begun: false)
        case (true, .some, nil):
            throw RPCError(
                .invalidParams, "meta.stream: must not be true, \(method) answers once", begun: false)
        case (_, nil, nil): return try forwardRoute(method, asStream: asStream)
        }
    }

    private func forwardRoute(_ method: String, asStream: Bool) throws(RPCError) -> Route {
        if method.utf8.count <= Limits.methodBytes {
            if asStream, let forwardStream {
                return .stream { try await forwardStream(method, $0, $1, $2) }
            }
            if !asStream, let forward {
                return .forward(forward)
            }
        }
        throw RPCError(
            .methodNotFound,
            "there is no method \(RawJSON(method, as: .string).brief) here; rpc.describe lists them", begun: false)
    }

    /// Whether bytes beside a request are for ourselves, so that their checksum is of interest.
    func passesOn(_ method: String) -> Bool { handlers[method] == nil && streamHandlers[method] == nil }
}

extension Payload {
    fileprivate func params<Params>(as codec: Codec<Params>) throws(RPCError) -> Params {
        do throws(JSONError) {
            return try read(as: codec, refusingUnknownMembers: true)
        } catch {
            throw RPCError(invalidParams: error)
        }
    }
}

/// A handler broke its contract: a fault of ours, not an answer.
struct UndeclaredError: Error {
    let method: String
    let error: RPCError
}

/// What a handler knows about the call beside its parameters.
public struct CallContext: Sendable {
    /// When the caller stops waiting; `distantFuture` for a stream without end.
    public let deadline: NIODeadline

    /// The trace that the call belongs to, for passing on and for logging.
    public let trace: TraceContext

    /// Whether bytes may stand beside the answer.
    public let takesAttachments: Bool

    public let priority: CallPriority

    /// How many items of a stream the caller can hold.
    public let window: Int

    /// Who calls; nil when the system does not tell.
    public let peer: PeerCredentials?

    /// Where the call came from; nil for one that nobody made over a connection.
    let connection: NIOLoopBound<ServerConnection>?

    /// What the caller's connection has room for.
    public var room: AnswerRoom { AnswerRoom(connection) }

    /// Those of the server that was called; nil when there is no connection.
    public var statistics: Statistics? {
        get async { await connection?.look { $0.core.statistics } }
    }
}
