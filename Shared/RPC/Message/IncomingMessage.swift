import JSON

/// A parsed message.
enum IncomingMessage {
    case single(IncomingCall)
    case batch([IncomingCall])
    case response(Response)
}

/// One request or notification, or the reason why it is invalid.
struct IncomingCall {
    enum Content {
        case request(Request)
        case failure(RPCError)
    }

    enum Answer: Equatable {
        /// For a notification.
        case none
        /// The id could not be read: `"id":null`.
        case withoutID
        case to(RequestID)
    }

    var answer: Answer
    var content: Content

    /// Why it is invalid as an answer; nil if it has a method and so cannot be an answer.
    var faultAsAnswer: String?

    /// The message's attachments, even if it is not a valid request.
    var attachments = AttachmentNumbers.none
}

/// A parsed request or notification.
struct Request: Sendable {
    var method: String
    /// Always an object.
    var params: RawJSON
    var meta: RequestMeta
}

/// The answer that ends a call. The id is nil when the peer could not read the call's id.
struct Response {
    var id: RequestID?
    var outcome: Result<RawJSON, RPCError>
    var attachments: AttachmentNumbers
}

extension RawJSON {
    /// Whether it is decoded on another thread.
    var isLarge: Bool { bytes.count > Limits.textOnLoop }

    /// Refuses large parameters of the protocol's methods, which are decoded on the event loop.
    func mustBeSmall() throws(JSONError) {
        if isLarge { throw .refused("must have at most \(Limits.textOnLoop) bytes, has \(bytes.count)") }
    }

    /// How many bytes a call counts against the budget for this text; 0 for small texts.
    var heldBytes: Int { bytes.count > Limits.uncountedBytes ? bytes.count : 0 }
}
