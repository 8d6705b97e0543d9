import NIOCore

/// Records the beginning and end of every call for statistics and the call log, and reports faults.
extension ServerCore {
    /// - Parameters:
    ///   - error: nil for a call that succeeded.
    ///   - began: nil for a call that was refused before its handler began.
    ///   - isStream: true if the duration does not count as latency.
    func noteEnd(
        of request: Request, _ method: ServedMethod, _ error: RPCError?, since began: NIODeadline?,
        isStream: Bool = false, on connection: ServerConnection
    ) {
        let now = executor.readClock()
        let duration = began.map { now - $0 }
        if let duration {
            method.end(error?.kind, latency: isStream ? nil : duration, at: now)
            if !isStream, request.meta.priority != .prefetch { method.noteWait(duration, at: now) }
        } else if let error {
            method.refuse(error.kind, at: now)
        }
        observers.onCall?(
            CallRecord(
                method: request.method, error: error?.kind, duration: duration, trace: request.meta.trace,
                client: connection.clientName, peer: connection.peer))
        if let error { noteFault(error, of: request) }
    }

    /// Reports an error that a caller receives, or that cuts off its answer's attachments, if it is of class 5xx. Two
    /// exceptions: a hidden fault was already reported with its cause, and a draining server refuses calls and ends
    /// streams as the protocol requires (§2, `rpc.draining`).
    func noteFault(_ error: RPCError, of request: Request) {
        guard error.kind.isServerError else { return }
        let isHidden = error.kind == .internalError && error.service == nil
        let isDrained =
            isDraining && error.kind == .unavailable && (request.meta.stream == true || !error.begun)
        guard !isHidden, !isDrained else { return }
        observers.onFault(
            RPCServer.Fault(method: request.method, trace: request.meta.trace, error: error, isHidden: false))
    }

    /// Returns the error that the caller receives for an error that a handler threw. Reports errors that are hidden
    /// from callers.
    func answer(for error: any Error, to request: Request) -> RPCError {
        // A forwarded fault is already hidden, and names its service.
        if let error = error as? RPCError, error.kind != .internalError || error.service != nil { return error }
        if let error = error as? any AnsweredError { return error.answer }
        // A cancelled call is answered before its handler ends, so this handler threw the error on its own.
        if error is CancellationError { return RPCError(.cancelled, "the call was cancelled") }
        observers.onFault(
            RPCServer.Fault(method: request.method, trace: request.meta.trace, error: error, isHidden: true))
        return RPCError(.internalError, "\(request.method) failed; the log of \(identity.name) says why")
    }
}

/// One call that a server has ended, for a log of all calls.
public struct CallRecord: Sendable {
    public let method: String

    /// Nil for a call that succeeded.
    public let error: ErrorKind?

    /// From reading the request to its answer; nil for a call that was refused before it began.
    public let duration: TimeAmount?

    public let trace: TraceContext

    /// The client's name from `rpc.hello`; nil if it sent none.
    public let client: String?

    /// The calling process; nil when the system does not report it.
    public let peer: PeerCredentials?
}
