import RPC

extension ErrorKind {
    /// The exit code of a command that fails with this error (PROTOCOL.md §3): a code of `sysexits.h`, or 130 as after
    /// an interrupt.
    var exitCode: Int32 {
        switch self {
        case .methodNotFound, .invalidParams: 64
        case .parseError, .invalidRequest, .invalidData, .tooLarge: 65
        case .notFound: 66
        case .unavailable, .connectivity: 69
        case .internalError: 70
        case .alreadyExists: 73
        case .dataLoss: 74
        case .deadlineExceeded, .overloaded: 75
        case .permissionDenied, .readOnly: 77
        case .cancelled: 130
        }
    }
}
