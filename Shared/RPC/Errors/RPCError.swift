import JSON

/// The error of a call, on both sides of the wire.
public struct RPCError: Error, Equatable, Sendable {
    /// For programs.
    public var kind: ErrorKind

    /// For a person: what was wrong and, where there is one, the remedy.
    public var message: String

    /// False when no handler has run, so that even a write may be sent again.
    public var begun: Bool

    /// For `overloaded`: when to come back, in milliseconds.
    public var retryAfter: Int?

    /// The service that answered with this error; filled in by the runtime.
    public var service: String?

    /// More for programs, of a form that the method's documentation tells.
    public var details: RawJSON?

    /// What was wrong in full, where `message` says it in general words. For the log of this process; never sent.
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
    /// Shed before anything was done; coming back soon may help.
    static func overloaded(_ message: String, begun: Bool = false) -> RPCError {
        RPCError(.overloaded, message, begun: begun, retryAfter: Limits.retryAfterMilliseconds)
    }

    /// The same, of a call that a handler may have begun.
    var whenBegun: RPCError {
        var error = self
        error.begun = true
        return error
    }

    /// The parameters of a request were not what their codec describes.
    init(invalidParams error: JSONError) {
        self.init(.invalidParams, "params" + Self.place(error), begun: false)
    }

    /// A peer's answer were not what their codec describes.
    init(invalidResult error: JSONError) {
        self.init(.invalidData, "the answer does not keep its contract: result" + Self.place(error))
    }

    private static func place(_ error: JSONError) -> String {
        switch error {
        case .syntax(let reason, _): ": \(reason)"
        case .mismatch("", let reason): ": \(reason)"
        case .mismatch(let path, let reason): path.hasPrefix("[") ? "\(path): \(reason)" : ".\(path): \(reason)"
        }
    }
}
