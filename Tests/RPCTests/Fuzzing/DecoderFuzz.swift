import NIOCore

@testable import RPC

/// Decodes bytes to frames. The first byte selects features and limit, or that the rest is a single text.
enum DecoderFuzz {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let head = input.byte()
        if head & 0x80 != 0 { return try TextFuzz.check(ByteBuffer(bytes: input.rest())) }
        let features = Features(rawValue: head & 0x0F)
        let limit = [64, 4_096, 70_000, Limits.largestFrameLength][Int(head >> 4 & 3)]
        let cut = Int(input.byte())
        let stream = input.rest()

        let whole = try Decoded(ByteBuffer(bytes: stream), cutBy: stream.count, features, limit: limit)
        let split = try Decoded(ByteBuffer(bytes: stream), cutBy: 1 + cut % 32, features, limit: limit)
        try FuzzFinding.unless(whole == split, "the same bytes, split differently, become different frames")
        try FuzzFinding.unless(stream.starts(with: whole.bytes), "the frames differ from the bytes received")
        try FuzzFinding.unless(
            whole.violation != nil || whole.isInside == (whole.bytes.count < stream.count),
            "bytes are left over that belong to no frame")
        for frame in whole.frames { try check(frame, features, limit: limit) }
    }

    private static func check(_ frame: Frame, _ features: Features, limit: Int) throws {
        try FuzzFinding.unless(frame.kind.isAllowed(by: features), "a kind that was not negotiated")
        try FuzzFinding.unless(
            frame.kind.lengths(limit: limit).contains(frame.payload.readableBytes), "a length that its kind cannot have"
        )
        switch frame.kind {
        case .message: try TextFuzz.check(frame.payload)
        case .compressedMessage:
            guard let text = try? Zlib.decompress(frame.payload, limit: limit) else { return }
            try FuzzFinding.unless(text.readableBytes <= limit, "more was decompressed than allowed")
            try TextFuzz.check(text)
            guard let again = Zlib.compress(text) else { return }
            let back = try Zlib.decompress(again, limit: limit)
            try FuzzFinding.unless(back == text, "a text changes when it is compressed and decompressed")
        default: break
        }
    }
}

/// The result of decoding bytes.
private struct Decoded: Equatable {
    private(set) var frames: [Frame] = []
    private(set) var violation: FrameViolation?
    private(set) var isInside = false

    init(_ stream: ByteBuffer, cutBy length: Int, _ features: Features, limit: Int) throws {
        var decoder = FrameDecoder(limit: limit)
        decoder.features = features
        var stream = stream
        do throws(FrameViolation) {
            while let slice = stream.readSlice(length: min(length, stream.readableBytes)), slice.readableBytes > 0 {
                decoder.append(slice)
                while let frame = try decoder.next() { frames.append(frame) }
            }
            isInside = decoder.isInsideFrame
        } catch {
            violation = error
        }
    }

    /// The frames in order.
    var bytes: [UInt8] {
        var bytes = ByteBuffer()
        for frame in frames {
            bytes.writeHeader(frame.kind, length: frame.payload.readableBytes)
            bytes.writeImmutableBuffer(frame.payload)
        }
        return Array(buffer: bytes)
    }
}
