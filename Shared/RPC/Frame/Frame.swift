import NIOCore

/// What goes over a socket: a kind, a length of 24 bits, and that many bytes, numbers big-endian.
///
/// A frame is not a message: today a message is one frame of kind 0, but a message may also come compressed or in parts
/// once both sides have agreed to that.
struct Frame: Equatable {
    static let headerLength = 4

    var kind: UInt8
    var payload: ByteBuffer

    /// One JSON message in UTF-8.
    static let messageKind: UInt8 = 0
}

/// Why a byte stream is not a sequence of frames. Nothing that follows on it can be understood.
enum FrameViolation: Error, Equatable {
    /// A first byte other than 0: a kind that nobody negotiated, or a plain peer's 32-bit length over 24 bits.
    case unknownKind(UInt8)
    case tooLong(Int, limit: Int)

    var rpcError: RPCError {
        switch self {
        case .unknownKind(let kind):
            RPCError(
                .invalidRequest, "kind \(kind) not negotiated, or a length over \(Limits.largestFrameLength)",
                begun: false)
        case .tooLong(let length, let limit):
            RPCError(.tooLarge, "a message of \(length) bytes is over the limit of \(limit) bytes", begun: false)
        }
    }
}
