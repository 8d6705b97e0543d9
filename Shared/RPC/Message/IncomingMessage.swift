import JSON

/// What a message turned out to be.
enum IncomingMessage {
    case single(IncomingCall)
    case batch([IncomingCall])
    case response(Response)
}

/// One request or notification, or why it is none.
struct IncomingCall {
    enum Content {
        case request(Request)
        case failure(RPCError)
    }

    enum Answer: Equatable {
        /// A notification gets none.
        case none
        /// The id could not be read: `"id":null`.
        case withoutID
        case to(RequestID)
    }

    var answer: Answer
    var content: Content

    /// What is wrong with it as an answer; nil for what has a method, and so cannot be meant as one.
    var faultAsAnswer: String?

    /// The bytes that come beside it, also beside what is no request.
    var attachments = AttachmentNumbers.none
}

/// A request or notification as far as the runtime understands it.
struct Request: Sendable {
    var method: String
    /// Always an object.
    var params: RawJSON
    var meta: RequestMeta
}

/// The end of a call. The id is nil when the peer could not tell which call it was.
struct Response {
    var id: RequestID?
    var outcome: Result<RawJSON, RPCError>
    var attachments: AttachmentNumbers
}

extension RawJSON {
    /// What it counts for while a call holds it: small texts count as nothing.
    var heldBytes: Int { bytes.count > Limits.uncountedBytes ? bytes.count : 0 }
}
