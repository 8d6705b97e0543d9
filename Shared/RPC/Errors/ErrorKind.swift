/// The kinds of errors of a call that programs can distinguish. A closed set: `PROTOCOL.md` §3 has the same table, and
/// a boundary maps every other error to one of these.
public enum ErrorKind: String, Sendable, CaseIterable {
    /// The body is not JSON.
    case parseError = "parse_error"
    /// The body is not a JSON-RPC request, or the frame or the id is bad.
    case invalidRequest = "invalid_request"
    /// The method does not exist.
    case methodNotFound = "method_not_found"
    /// A parameter has the wrong type or value; the message names its path.
    case invalidParams = "invalid_params"
    /// A fault of the service: logged there in full, hidden from the caller.
    case internalError = "internal"
    /// The caller or a stopping server ended the call.
    case cancelled
    /// The call timed out; a write may or may not have happened.
    case deadlineExceeded = "deadline_exceeded"
    /// The peer is unreachable, restarting, draining, or temporarily cannot write.
    case unavailable
    case notFound = "not_found"
    /// The upstream's answer, or the given bytes, are invalid.
    case invalidData = "invalid_data"
    /// The upstream could not be reached, and the cache has no valid copy.
    case connectivity
    /// Refused because of overload; `RPCError.retryAfter` says when to retry.
    case overloaded
    case permissionDenied = "permission_denied"
    /// The id already exists with other content.
    case alreadyExists = "already_exists"
    /// Stored bytes do not match their checksum.
    case dataLoss = "data_loss"
    /// A write to an edge, which is read-only.
    case readOnly = "read_only"
    /// A message, a reply or bytes exceed a limit; the message names size and limit.
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

    /// Whether the answering side is at fault, like class 5xx in HTTP.
    public var isServerError: Bool {
        switch self {
        case .internalError, .dataLoss, .invalidData, .connectivity, .unavailable, .deadlineExceeded: true
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .cancelled, .notFound, .overloaded,
            .permissionDenied, .alreadyExists, .readOnly, .tooLarge:
            false
        }
    }

    /// Whether the same call may succeed shortly after.
    public var isRetryable: Bool {
        switch self {
        case .unavailable, .overloaded, .connectivity: true
        default: false
        }
    }

    /// Whether any method may answer with this kind without declaring it: such errors come from the runtime, or are the same for
    /// every method of a service, like a full disk.
    public var isUniversal: Bool {
        switch self {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .cancelled,
            .deadlineExceeded, .unavailable, .overloaded, .tooLarge:
            true
        case .notFound, .invalidData, .connectivity, .permissionDenied, .alreadyExists, .dataLoss, .readOnly: false
        }
    }
}
