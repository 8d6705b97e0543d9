import RPC

extension UpstreamError {
    /// What a caller of a service learns of it.
    public var rpcError: RPCError {
        switch self {
        case .refused: RPCError(.permissionDenied, "\(self)")
        case .unreachable, .timedOut, .interrupted, .pinMismatch, .tls: RPCError(.connectivity, "\(self)")
        case .tooLarge, .malformed, .tooManyRedirects: RPCError(.invalidData, "\(self)")
        case .overloaded: RPCError(.overloaded, "\(self)")
        case .cancelled: RPCError(.cancelled, "\(self)")
        case .shutDown: RPCError(.unavailable, "\(self)")
        }
    }
}
