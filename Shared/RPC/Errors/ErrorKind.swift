/// Everything that can go wrong in a call, as far as programs tell the cases apart. A closed set: `PROTOCOL.md` §3 has the
/// same table, and at a boundary every other error becomes one of these.
public enum ErrorKind: String, Sendable, CaseIterable {
    /// The body is not JSON.
    case parseError = "parse_error"
    /// The body is not a JSON-RPC request, or the frame or the id is bad.
    case invalidRequest = "invalid_request"
    /// Nobody answers this method.
    case methodNotFound = "method_not_found"
    /// A parameter has the wrong type or value; the message names it by its path.
    case invalidParams = "invalid_params"
    /// A fault of the service, logged there in full and hidden from the caller.
    case internalError = "internal"
    /// The caller, or a stop, ended the call.
    case cancelled
    /// The call took longer than its caller had; a write may or may not have happened.
    case deadlineExceeded = "deadline_exceeded"
    /// The peer is not there, restarting, draining, or cannot write at the moment.
    case unavailable
    case notFound = "not_found"
    /// The upstream's answer, or the bytes given, are not what they should be.
    case invalidData = "invalid_data"
    /// The upstream was not reached, and nothing valid is kept.
    case connectivity
    /// Shed because too much is under way; `RPCError.retryAfter` says when to come back.
    case overloaded
    case permissionDenied = "permission_denied"
    /// The same id is there with other content.
    case alreadyExists = "already_exists"
    /// Stored bytes fail their checksum.
    case dataLoss = "data_loss"
    /// A write to an edge.
    case readOnly = "read_only"
    /// A message, a reply or bytes over a limit; the message names both.
    case tooLarge = "too_large"
}

extension ErrorKind {
    /// The JSON-RPC code.
    public var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .internalError: -32603
        case .cancelled: -32001
        case .deadlineExceeded: -32002
        case .unavailable: -32003
        case .notFound: -32004
        case .invalidData: -32005
        case .connectivity: -32006
        case .overloaded: -32007
        case .permissionDenied: -32008
        case .alreadyExists: -32009
        case .dataLoss: -32010
        case .readOnly: -32011
        case .tooLarge: -32012
        }
    }

    /// Whether the fault is on the side that answers, as class 5xx in HTTP.
    public var isServerError: Bool {
        switch self {
        case .internalError, .dataLoss, .invalidData, .connectivity, .unavailable, .deadlineExceeded: true
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .cancelled, .notFound, .overloaded,
            .permissionDenied, .alreadyExists, .readOnly, .tooLarge:
            false
        }
    }

    /// Whether the same call may succeed a little later.
    public var isRetryable: Bool {
        switch self {
        case .unavailable, .overloaded, .connectivity: true
        default: false
        }
    }

    /// What any method may answer without declaring it: these come from the runtime, not from a handler's work.
    var isUniversal: Bool {
        switch self {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .cancelled,
            .deadlineExceeded, .unavailable, .overloaded, .permissionDenied, .tooLarge:
            true
        case .notFound, .invalidData, .connectivity, .alreadyExists, .dataLoss, .readOnly: false
        }
    }
}
