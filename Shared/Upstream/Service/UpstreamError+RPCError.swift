import RPC

extension UpstreamError {
    /// What a caller of a service learns of it: the kind, in general words.
    public var rpcError: RPCError {
        switch self {
        case .refused: RPCError(.permissionDenied, summary)
        case .unreachable, .timedOut, .interrupted, .pinMismatch, .tls: RPCError(.connectivity, summary)
        case .tooLarge, .malformed, .tooManyRedirects: RPCError(.invalidData, summary)
        case .overloaded: RPCError(.overloaded, summary)
        case .cancelled: RPCError(.cancelled, summary)
        case .shutDown: RPCError(.unavailable, summary)
        }
    }
}
