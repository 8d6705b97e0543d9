import RPC

extension ErrorKind {
    /// The HTTP status code of this error (PROTOCOL.md §3). 499 is nginx's code for a client that has closed the
    /// connection; it appears only in logs.
    var httpStatus: Int {
        switch self {
        case .parseError, .invalidRequest, .invalidParams: 400
        case .permissionDenied, .readOnly: 403
        case .methodNotFound, .notFound: 404
        case .alreadyExists: 409
        case .tooLarge: 413
        case .overloaded: 429
        case .cancelled: 499
        case .internalError, .dataLoss: 500
        case .invalidData, .connectivity: 502
        case .unavailable: 503
        case .deadlineExceeded: 504
        }
    }
}
