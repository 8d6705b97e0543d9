import ImageData
import RPC

extension ImageOriginError {
    /// The error that the caller gets.
    var rpcError: RPCError {
        switch self {
        case .unreachable(let reason): RPCError(.connectivity, reason)
        case .forbidden(let reason): RPCError(.permissionDenied, reason)
        case .malformed(let reason): RPCError(.invalidData, reason)
        case .tooLarge(let limit): RPCError(.tooLarge, "the image exceeds the limit of \(limit) bytes")
        case .rejected(let rejection): rejection.rpcError
        }
    }
}
