import JSON
import NIOCore

/// A call of ours that is not over. Lives on the event loop.
final class ClientCall {
    /// Who waits for what comes of it.
    enum Caller {
        /// Resumed once: by whoever takes the call out of the table of its client.
        case answer(UnsafeContinuation<Result<Payload, RPCError>, Never>)
        case items(ClientStream)
    }

    /// What is called, and with what.
    struct Request: Sendable {
        let method: String
        let options: CallOptions
        let writeParams: @Sendable (inout JSONWriter) -> Void

        /// Whether it may be sent again when it may have been handled already.
        let isRepeatable: Bool

        /// Whether bytes may stand beside the answer, and whether they are for ourselves, so that their checksum is of
        /// interest.
        let takesAttachments: Bool
        let checksAttachments: Bool
    }

    let id: Int
    let request: Request
    let caller: Caller

    /// The request on its way, when that takes time.
    var outgoing: OutgoingMessage?

    /// What is to come beside the answer, or beside items.
    var incoming: [IncomingAttachments] = []

    init(_ request: Request, id: Int, for caller: Caller) {
        self.id = id
        self.request = request
        self.caller = caller
    }

    var deadline: NIODeadline { request.options.deadline }

    var stream: ClientStream? {
        guard case .items(let stream) = caller else { return nil }
        return stream
    }

    /// What the peer is told about the call.
    func meta(now: NIODeadline) -> RequestMeta {
        request.options.meta(now: now, isStream: stream != nil, takesAttachments: request.takesAttachments)
    }

    /// The call is over.
    func end(_ outcome: Result<Payload, RPCError>) {
        switch caller {
        case .answer(let continuation): continuation.resume(returning: outcome)
        case .items(let stream): stream.end(outcome.map { _ in })
        }
    }
}
