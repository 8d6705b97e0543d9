import JSON
import NIOCore

/// What a server answers: handlers by method name, and the contracts that describe them.
public struct MethodTable: Sendable {
    /// What answers a call.
    enum Handler: Sendable {
        /// Runs where the call is read, and has ended when the next call is read.
        case atOnce(@Sendable (Payload, CallContext) throws -> Reply)
        /// Runs in a task, because it may wait.
        case inTask(@Sendable (Payload, CallContext) async throws -> Reply)
        case stream(@Sendable (Payload, CallContext, ItemSink<Payload>) async throws -> Void)
        /// Passes the call on.
        case forwarder(Forwarder)
    }

    /// Passes a call on, on the event loop of its connection and without a task. Calls `completion` once, possibly before it
    /// returns.
    /// - Returns: cancels the call where it was passed to; `completion` is called nevertheless.
    public typealias Forwarder =
        @Sendable (
            _ method: String, _ params: Payload, CallContext,
            _ completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
        ) -> @Sendable () -> Void

    /// What answers the calls of one name: those for one answer, and those for a stream.
    struct Handlers: Sendable {
        var once: Handler?
        var stream: Handler?
    }

    public let contracts: [Contract]
    private(set) var handlers: [String: Handlers] = [:]

    /// Answers every method that has no handler here.
    public var forward: Forwarder?

    /// Answers every stream that has no handler here.
    public var forwardStream: (@Sendable (String, Payload, CallContext, ItemSink<Payload>) async throws -> Void)?

    /// Whether there is a service of this name to forward to; statistics know no others.
    public var isForwarded: @Sendable (String) -> Bool = { _ in false }

    public init(_ contracts: Contract...) { self.contracts = contracts }

    /// Answers a method with a body that does not wait. This costs least: the call needs no task, and is answered before the
    /// next one is read. It cannot be cancelled, and its deadline cannot pass.
    ///
    /// As `handle` with an asynchronous body in all else; Swift selects this one for a closure without `await`.
    public mutating func handle<Params, Answer>(
        _ method: Method<Params, Answer>, _ body: @escaping @Sendable (Params, CallContext) throws -> Answer
    ) {
        handlers[method.name, default: Handlers()].once = .atOnce { payload, context in
            let params = try payload.params(as: method.params)
            do {
                return Reply(try body(params, context), as: method.answer)
            } catch {
                throw method.declared(error)
            }
        }
    }

    /// Answers a method.
    ///
    /// The body runs on the connection's event loop (see `LoopExecutor`): it must not block. It is cancelled when the
    /// caller cancels, closes the connection or runs out of time. An `RPCError` of a kind that the method declares, or that
    /// every method may answer, reaches the caller; every other error is logged and becomes `internal`.
    public mutating func handle<Params, Answer>(
        _ method: Method<Params, Answer>, _ body: @escaping @Sendable (Params, CallContext) async throws -> Answer
    ) {
        handlers[method.name, default: Handlers()].once = .inTask { payload, context in
            let params = try payload.params(as: method.params)
            do {
                return Reply(try await body(params, context), as: method.answer)
            } catch {
                throw method.declared(error)
            }
        }
    }

    /// Answers a method with a stream, which ends when the body returns. As `handle` in all else.
    public mutating func handle<Params, Item>(
        _ method: StreamMethod<Params, Item>,
        _ body: @escaping @Sendable (Params, CallContext, ItemSink<Item>) async throws -> Void
    ) {
        handlers[method.name, default: Handlers()].stream = .stream { payload, context, sink in
            let params = try payload.params(as: method.params)
            do {
                try await body(params, context, sink.of(method.item))
            } catch {
                throw method.declared(error)
            }
        }
    }

    /// Adds the handlers of methods that have none here.
    mutating func addHandlers(of other: MethodTable) { handlers.merge(other.handlers) { own, _ in own } }

    /// What answers the calls of a method that has no handlers here.
    /// - Throws: `method_not_found`.
    func forwarding(_ method: String, asStream: Bool) throws(RPCError) -> Handler {
        if method.utf8.count <= Limits.methodBytes {
            if asStream, let forwardStream {
                return .stream { try await forwardStream(method, $0, $1, $2) }
            }
            if !asStream, let forward {
                return .forwarder(forward)
            }
        }
        throw RPCError(
            .methodNotFound,
            "there is no method \(RawJSON(method, as: .string).brief) here; rpc.describe lists them", begun: false)
    }
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

extension UndeclaredError {
    /// - Returns: what a handler has thrown, unless its method may not answer that.
    fileprivate static func check(_ error: any Error, of method: String, declaring kinds: [ErrorKind]) -> any Error {
        guard let answer = error as? RPCError, !answer.kind.isUniversal, !kinds.contains(answer.kind) else {
            return error
        }
        return UndeclaredError(method: method, error: answer)
    }
}

extension Method {
    fileprivate func declared(_ error: any Error) -> any Error {
        UndeclaredError.check(error, of: name, declaring: errors)
    }
}

extension StreamMethod {
    fileprivate func declared(_ error: any Error) -> any Error {
        UndeclaredError.check(error, of: name, declaring: errors)
    }
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
