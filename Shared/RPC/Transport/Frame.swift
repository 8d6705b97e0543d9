import NIOCore

/// What goes over a socket: a kind, a length of 24 bits, and that many bytes, numbers big-endian.
///
/// A frame is not a message: a message may come whole, compressed, or in parts between which others travel.
struct Frame: Equatable {
    static let headerLength = 4

    /// The number that chunks, parts, grants, aborts and stops begin with.
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
        /// Receiver to sender: so many more bytes of this number may come.
        case credit = 6
        /// Sender to receiver: the rest of this number will not come, and why.
        case aborted = 7
        /// Receiver to sender: the rest of this number is not wanted.
        case stop = 8
    }
}

extension Frame.Kind {
    /// Whether it may be used between peers that agreed on these features.
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

    /// How long its payload may be.
    /// - Parameter limit: for messages.
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

/// Why a byte stream is not a sequence of frames, or the frames make no sense together. Nothing that follows can be
/// understood.
enum FrameViolation: Error, Equatable {
    /// A first byte that is no kind that was agreed on, or a plain peer's 32-bit length over 24 bits.
    case unknownKind(UInt8)
    case tooLong(Int, limit: Int)
    case inflatesTooLong(limit: Int)
    case badLength(Frame.Kind, Int)
    /// A number that was used before, was never announced, or is over.
    case badNumber(UInt32, String)
    /// More came than was granted.
    case overrun(UInt32)
    /// More was granted than may be outstanding.
    case creditTooLarge(UInt32)
    case tooManyStopped
    /// A frame that has begun was not complete in time.
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
        case .tooManyStopped: "too many attachments and parts that were stopped have not ended"
        case .tooSlow: "a frame took too long to be complete"
        }
    }
}
