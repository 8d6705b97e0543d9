import RPC
import Upstream

extension UpstreamError {
    /// The error for callers of a service, without addresses and hosts.
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
