import NIOCore

/// The unit on a socket: a kind, a 24-bit length, and that many bytes of payload. Numbers are big-endian.
///
/// A frame is not a message: a message may be sent whole, compressed, or in parts interleaved with other frames.
struct Frame: Equatable {
    static let headerLength = 4

    /// The length of the transfer number at the start of chunks, parts, grants, aborts and stops.
    static let numberLength = 4

    var kind: Kind
    var payload: ByteBuffer

    enum Kind: UInt8, CaseIterable {
        /// One JSON message in UTF-8.
        case message = 0
        /// One JSON message as a zlib stream (RFC 1950).
        case compressedMessage = 1
        case attachmentChunk = 2
        case lastAttachmentChunk = 3
        case part = 4
        case lastPart = 5
        /// Receiver to sender: grants more bytes of this transfer.
        case credit = 6
        /// Sender to receiver: the rest of this transfer will not be sent, with a reason.
        case aborted = 7
        /// Receiver to sender: the rest of this transfer is not wanted.
        case stop = 8
    }
}

extension Frame.Kind {
    /// Whether peers that negotiated these features may use this kind.
    func isAllowed(by features: Features) -> Bool {
        switch self {
        case .message: true
        case .compressedMessage: features.contains(.zlib)
        case .attachmentChunk, .lastAttachmentChunk: features.contains(.bytes)
        case .part, .lastPart: features.contains(.parts)
        case .credit: features.contains(.credit)
        case .aborted, .stop: !features.isDisjoint(with: [.bytes, .parts, .credit])
        }
    }

    /// The allowed payload lengths.
    /// - Parameter limit: the maximum length of a message.
    func lengths(limit: Int) -> ClosedRange<Int> {
        let number = Frame.numberLength
        return switch self {
        case .message, .compressedMessage: 0...limit
        case .attachmentChunk, .lastAttachmentChunk, .part, .lastPart: number...number + Limits.chunkBytes
        case .credit: number + 4...number + 4
        case .aborted: number...number + Limits.abortReasonBytes
        case .stop: number...number
        }
    }
}

/// A violation of the framing, or frames that contradict each other. The rest of the byte stream cannot be interpreted.
enum FrameViolation: Error, Equatable {
    /// The first byte is not a negotiated kind, or a plain peer's 32-bit length exceeds 24 bits.
    case unknownKind(UInt8)
    case tooLong(Int, limit: Int)
    case inflatesTooLong(limit: Int)
    case badLength(Frame.Kind, Int)
    /// A transfer number that was used before, was never announced, or has ended.
    case badNumber(UInt32, String)
    /// The sender sent more than was granted.
    case overrun(UInt32)
    /// The receiver granted more than may be outstanding.
    case creditTooLarge(UInt32)
    case tooManyStopped
    /// Too many grants and stops, or chunks and parts, that change nothing.
    case tooManyWithoutEffect
    /// A frame was not complete in time.
    case tooSlow

    var rpcError: RPCError {
        let kind: ErrorKind =
            switch self {
            case .tooLong, .inflatesTooLong: .tooLarge
            default: .invalidRequest
            }
        return RPCError(kind, reason, begun: false)
    }

    private var reason: String {
        switch self {
        case .unknownKind(let kind): "kind \(kind) not negotiated, or a length over \(Limits.largestFrameLength)"
        case .tooLong(let length, let limit): "a message of \(length) bytes is over the limit of \(limit) bytes"
        case .inflatesTooLong(let limit): "a compressed message is over the limit of \(limit) bytes"
        case .badLength(let kind, let length): "a frame of kind \(kind.rawValue) cannot have \(length) bytes"
        case .badNumber(let number, let reason): "number \(number) \(reason)"
        case .overrun(let number): "number \(number): more bytes than were granted"
        case .creditTooLarge(let number):
            "number \(number): more than \(Limits.outstandingCredit) bytes granted and not used"
        case .tooManyStopped: "too many stopped attachments and parts have not ended"
        case .tooManyWithoutEffect: "too many frames that have no effect"
        case .tooSlow: "a frame was not complete in time"
        }
    }
}
