import JSON
import NIOCore
import Timing

/// The methods of a server: handlers by name, and the contracts that describe them.
public struct MethodTable: Sendable {
    /// What answers a call.
    enum Handler: Sendable {
        /// Runs while reading: it has ended when the next call is read.
        /// - Parameter whenLarge: the same for large parameters. Runs in a task, because they are decoded on another thread.
        case atOnce(
            @Sendable (Payload, CallContext) throws -> Reply,
            whenLarge: @Sendable (Payload, CallContext) async throws -> Reply)
        /// Runs in a task, because it may suspend.
        case inTask(@Sendable (Payload, CallContext) async throws -> Reply)
        case stream(@Sendable (Payload, CallContext, ItemSink<Payload>) async throws -> Void)
        /// Forwards the call.
        case forwarder(Forwarder)
    }

    /// Forwards a call, on the event loop of its connection and without a task. Calls `completion` once, possibly
    /// before it returns.
    /// - Returns: a function that cancels the forwarded call; `completion` is called nevertheless.
    public typealias Forwarder =
        @Sendable (
            _ method: String, _ params: Payload, CallContext,
            _ completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
        ) -> @Sendable () -> Void

    /// The handlers of one method name: for a single answer, and for a stream.
    struct Handlers: Sendable {
        var once: Handler?
        var stream: Handler?
    }

    public let contracts: [Contract]
    private(set) var handlers: [String: Handlers] = [:]

    /// Forwards calls of methods without a handler here.
    public var forward: Forwarder?

    /// Forwards streams of methods without a handler here.
    public var forwardStream: (@Sendable (String, Payload, CallContext, ItemSink<Payload>) async throws -> Void)?

    /// Whether calls are forwarded to a service of this name; statistics count only such services by name.
    public var isForwarded: @Sendable (String) -> Bool = { _ in false }

    public init(_ contracts: Contract...) { self.contracts = contracts }

    /// Adds a synchronous handler. This is the cheapest kind: the call needs no task and is answered before the next
    /// one is read. It cannot be cancelled, and its deadline is not enforced.
    ///
    /// Otherwise like the asynchronous `handle`; Swift selects this overload for a closure without `await`.
    public mutating func handle<Params, Answer>(
        _ method: Method<Params, Answer>, _ body: @escaping @Sendable (Params, CallContext) throws -> Answer
    ) {
        let answer: @Sendable (Params, CallContext) throws -> Reply = { params, context in
            do {
                return Reply(try body(params, context), as: method.answer)
            } catch {
                throw method.declared(error)
            }
        }
        handlers[method.name, default: Handlers()].once = .atOnce(
            { try answer(try $0.params(as: method.params), $1) },
            whenLarge: { try answer(try await $0.paramsBeside(as: method.params), $1) })
    }

    /// Adds a handler.
    ///
    /// `body` runs on the connection's event loop (see `LoopExecutor`) and must not block. It is cancelled when the
    /// caller cancels, closes the connection, or the deadline passes. An `RPCError` of a kind that the method declares,
    /// or that every method may answer, reaches the caller; every other error is logged and becomes `internal`.
    public mutating func handle<Params, Answer>(
        _ method: Method<Params, Answer>, _ body: @escaping @Sendable (Params, CallContext) async throws -> Answer
    ) {
        handlers[method.name, default: Handlers()].once = .inTask { payload, context in
            let params = try await payload.paramsBeside(as: method.params)
            do {
                return Reply(try await body(params, context), as: method.answer)
            } catch {
                throw method.declared(error)
            }
        }
    }

    /// Adds a handler for a stream, which ends when the body returns. Otherwise like `handle` for a single answer.
    public mutating func handle<Params, Item>(
        _ method: StreamMethod<Params, Item>,
        _ body: @escaping @Sendable (Params, CallContext, ItemSink<Item>) async throws -> Void
    ) {
        handlers[method.name, default: Handlers()].stream = .stream { payload, context, sink in
            let params = try await payload.paramsBeside(as: method.params)
            do {
                try await body(params, context, sink.of(method.item))
            } catch {
                throw method.declared(error)
            }
        }
    }

    /// Adds the other table's handlers for methods without a handler here.
    mutating func addHandlers(of other: MethodTable) { handlers.merge(other.handlers) { own, _ in own } }

    /// The forwarding handler for a method without handlers here.
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

    fileprivate nonisolated(nonsending) func paramsBeside<Params: Sendable>(
        as codec: Codec<Params>
    ) async throws(RPCError) -> Params {
        do throws(JSONError) {
            return try await readBeside(as: codec, refusingUnknownMembers: true)
        } catch {
            throw RPCError(invalidParams: error)
        }
    }
}

/// A handler threw an error that its method does not declare: a fault of the service.
struct UndeclaredError: Error {
    let method: String
    let error: RPCError
}

extension UndeclaredError {
    /// - Returns: the error, or `UndeclaredError` if the method may not answer with it.
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

/// The context of a call for its handler.
public struct CallContext: Sendable {
    /// When the caller stops waiting; `distantFuture` for an endless stream.
    public let deadline: NIODeadline

    /// The clock of `deadline`.
    public let clock: any MonotonicClock

    /// The trace of the call, for forwarding and logging.
    public let trace: TraceContext

    /// Whether the answer may have attachments.
    public let takesAttachments: Bool

    public let priority: CallPriority

    /// The stream's window in items.
    public let window: Int

    /// How many gateways have forwarded the call.
    let hops: Int

    /// The calling process; nil when the system does not report it.
    public let peer: PeerCredentials?

    /// The connection of the call; nil for a call inside the process.
    let connection: NIOLoopBound<ServerConnection>?

    /// The caller's remaining time; negative once `deadline` has passed.
    public var timeLeft: Duration { clock.timeLeft(until: deadline) }

    /// The capacity of the caller's connection for large answers.
    public var room: AnswerRoom { AnswerRoom(connection) }

    /// The statistics of the called server; nil when there is no connection.
    public var statistics: Statistics? {
        get async {
            await cores.statistics()
        }
    }

    /// The checks of the slow methods of the called server; none when there is no connection.
    public var slownessChecks: [Health.Check] {
        get async { await cores.slownessChecks() }
    }

    private var cores: [NIOLoopBound<ServerCore>] {
        get async {
            await connection?.look { [NIOLoopBound($0.core, eventLoop: $0.loop)] + $0.core.others } ?? []
        }
    }

    /// The check that says that the called server drains; nil while it does not, and when there is no connection.
    public var draining: Health.Check? {
        get async {
            await connection?.look(\.core.drainingSince).map {
                Health.Check(
                    name: "server", status: .draining, detail: "it finishes the calls under way and stops", since: $0)
            }
        }
    }
}
