import NIOCore

/// What is noted of each call: all calls pass here when they begin, and when they are answered. It goes into the statistics
/// and the record of calls, and the faults are reported.
extension ServerCore {
    /// - Parameters:
    ///   - error: nil for a call that went well.
    ///   - began: nil for a call that is refused before its handler began.
    ///   - isStream: how long a stream was watched is no latency.
    func noteEnd(
        of request: Request, _ method: ServedMethod, _ error: RPCError?, since began: NIODeadline?,
        isStream: Bool = false, on connection: ServerConnection
    ) {
        let duration = began.map { executor.readClock() - $0 }
        if let duration {
            method.end(error?.kind, latency: isStream ? nil : duration)
        } else if let error {
            method.refuse(error.kind)
        }
        observers.onCall?(
            CallRecord(
                method: request.method, error: error?.kind, duration: duration, trace: request.meta.trace,
                client: connection.clientName, peer: connection.peer))
        if let error { noteFault(error, of: request) }
    }

    /// Reports an error that a caller gets, or that cuts off what was to come beside its answer: errors of class 5xx, with two
    /// exceptions. A hidden fault was reported with its cause already, and a server that drains refuses calls and ends
    /// streams by the rules (protocol §2, `rpc.draining`).
    func noteFault(_ error: RPCError, of request: Request) {
        guard error.kind.isServerError else { return }
        let isHidden = error.kind == .internalError && error.service == nil
        let isDrained =
            isDraining && error.kind == .unavailable && (request.meta.stream == true || !error.begun)
        guard !isHidden, !isDrained else { return }
        observers.onFault(
            RPCServer.Fault(method: request.method, trace: request.meta.trace, error: error, isHidden: false))
    }

    /// What a caller learns of what a handler has thrown. What is not for callers is reported here.
    func answer(for error: any Error, to request: Request) -> RPCError {
        // A fault that was forwarded is hidden already, and names its service.
        if let error = error as? RPCError, error.kind != .internalError || error.service != nil { return error }
        // A cancelled call is answered before its handler ends: this handler has thrown it by itself.
        if error is CancellationError { return RPCError(.cancelled, "the call was cancelled") }
        observers.onFault(
            RPCServer.Fault(method: request.method, trace: request.meta.trace, error: error, isHidden: true))
        return RPCError(.internalError, "\(request.method) failed; the log of \(identity.name) says why")
    }
}
