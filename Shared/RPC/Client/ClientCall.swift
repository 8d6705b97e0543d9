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

    /// Whether a handler may have begun in an attempt whose outcome is not known, or has answered. Never reset: from then on
    /// no error of the call says `begun:false`.
    private(set) var mayHaveBegun = false

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

    /// A handler may have begun.
    func noteBegun() { mayHaveBegun = true }

    /// Whether it may be sent again after the peer has refused it with `begun:false`. Only a stream that has had items may
    /// not: a call is on its way again only when its method allows that, or when no earlier attempt reached a handler.
    var mayFollowRefusal: Bool { stream == nil || !mayHaveBegun }

    /// The connection was lost, or the peer has refused the call: what it still had to send or to receive there is over.
    func forgetTransfers() {
        for incoming in incoming { incoming.forget() }
        (outgoing, incoming) = (nil, [])
    }

    /// The call is over.
    func end(_ outcome: Result<Payload, RPCError>) {
        let outcome = mayHaveBegun ? outcome.mapError(\.whenBegun) : outcome
        switch caller {
        case .answer(let continuation): continuation.resume(returning: outcome)
        case .items(let stream): stream.end(outcome.map { _ in })
        }
    }
}
