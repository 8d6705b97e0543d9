import NIOCore

/// What a server answers: handlers by method name, and the contracts that describe them.
public struct MethodTable: Sendable {
    typealias Handler = @Sendable (RawJSON, CallContext) async throws -> Reply

    public let contracts: [Contract]
    private var handlers: [String: Handler] = [:]

    /// Answers every method that has no handler here; nil in its place means that there is no such method.
    public var forward: (@Sendable (String, RawJSON, CallContext) async throws -> Reply)?

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
        handlers[method.name] = { params, context in
            let request: Params
            do throws(JSONError) {
                request = try params.read(as: method.params, refusingUnknownMembers: true)
            } catch {
                throw RPCError(invalidParams: error)
            }
            do {
                return Reply(try await body(request, context), as: method.answer)
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

    var names: some Collection<String> { handlers.keys }

    func handler(for method: String) -> Handler? {
        if let handler = handlers[method] { return handler }
        guard let forward else { return nil }
        return { try await forward(method, $0, $1) }
    }
}

/// A handler broke its contract: a fault of ours, not an answer.
struct UndeclaredError: Error {
    let method: String
    let error: RPCError
}

/// What a handler knows about the call beside its parameters.
public struct CallContext: Sendable {
    /// When the caller stops waiting.
    public let deadline: NIODeadline

    /// The trace that the call belongs to, for passing on and for logging.
    public let trace: TraceContext

    /// Who calls; nil when the system does not tell.
    public let peer: PeerCredentials?

    /// What the caller's connection has room for.
    public let room: AnswerRoom

    /// Those of the server that was called; nil when there is no connection.
    public var statistics: Statistics? {
        get async { await room.server { $0.statistics } }
    }
}
