import ImageData
import RPC

extension ImageOriginError {
    /// What a caller learns of it.
    var rpcError: RPCError {
        switch self {
        case .unreachable(let reason): RPCError(.connectivity, reason)
        case .forbidden(let reason): RPCError(.permissionDenied, reason)
        case .malformed(let reason): RPCError(.invalidData, reason)
        case .tooLarge(let limit): RPCError(.tooLarge, "the picture has more than the limit of \(limit) bytes")
        case .rejected(let rejection): rejection.rpcError
        }
    }
}
