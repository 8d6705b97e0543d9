import JSON

/// The error of a call, on both sides of the wire.
public struct RPCError: Error, Equatable, Sendable {
    /// For programs.
    public var kind: ErrorKind

    /// For a human reader: what is wrong and, if known, the remedy.
    public var message: String

    /// False when no handler has run, so that even a write may be sent again.
    public var begun: Bool

    /// For `overloaded`: when to retry, in milliseconds from now.
    public var retryAfter: Int?

    /// The service that answered with this error; set by the runtime.
    public var service: String?

    /// Details for programs, as the method's documentation defines them.
    public var details: RawJSON?

    /// The full cause when `message` is general. For this process's log; never sent.
    public var cause: String?

    public init(
        _ kind: ErrorKind, _ message: String, begun: Bool = true, retryAfter: Int? = nil, service: String? = nil,
        details: RawJSON? = nil
    ) {
        self.kind = kind
        self.message = message
        self.begun = begun
        self.retryAfter = retryAfter
        self.service = service
        self.details = details
    }
}

extension RPCError: CustomStringConvertible {
    /// For a log.
    public var description: String { "\(kind.rawValue): \(cause ?? message)" }
}

extension RPCError {
    /// Refused before a handler began; the caller may retry soon.
    static func overloaded(_ message: String, begun: Bool = false) -> RPCError {
        RPCError(.overloaded, message, begun: begun, retryAfter: Limits.retryAfterMilliseconds)
    }

    /// The same error for a call whose handler may have begun.
    var whenBegun: RPCError {
        var error = self
        error.begun = true
        return error
    }

    /// Makes the error for parameters that do not match their codec.
    public init(invalidParams error: JSONError) {
        self.init(.invalidParams, "params" + Self.place(error), begun: false)
    }

    /// Makes the error for a peer's answer that does not match its codec.
    init(invalidResult error: JSONError) {
        self.init(.invalidData, "the answer violates its contract: result" + Self.place(error))
    }

    private static func place(_ error: JSONError) -> String {
        switch error {
        case .syntax(let reason, _): ": \(reason)"
        case .mismatch("", let reason): ": \(reason)"
        case .mismatch(let path, let reason): path.hasPrefix("[") ? "\(path): \(reason)" : ".\(path): \(reason)"
        }
    }
}
