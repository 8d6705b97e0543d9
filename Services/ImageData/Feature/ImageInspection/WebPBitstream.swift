/// The size in the first bytes of a compressed picture (RFC 6386, 9.1; RFC 9649, 3.4).
enum WebPBitstream {
    static func size(_ chunk: WebPChunk) throws(ImageRejection) -> PixelSize {
        chunk.type == "VP8L" ? try lossless(chunk.content) : try lossy(chunk.content)
    }

    private static func lossy(_ content: ByteCursor) throws(ImageRejection) -> PixelSize {
        var fields = content
        let tag = try fields.littleEndian24()
        guard tag & 1 == 0 else { throw .malformed(.webp, "a picture that is not a key frame") }
        guard try fields.byte() == 0x9D, try fields.byte() == 0x01, try fields.byte() == 0x2A else {
            throw .malformed(.webp, "a VP8 picture without its start code")
        }
        // The upper two bits of each number are for scaling.
        let width = Int(try fields.littleEndian(UInt16.self) & 0x3FFF)
        let height = Int(try fields.littleEndian(UInt16.self) & 0x3FFF)
        try fields.skip(tag >> 5)  // the first partition
        return PixelSize(width: width, height: height)
    }

    private static func lossless(_ content: ByteCursor) throws(ImageRejection) -> PixelSize {
        var fields = content
        guard try fields.byte() == 0x2F else { throw .malformed(.webp, "a VP8L picture without its signature") }
        let bits = Int(try fields.littleEndian(UInt32.self))
        guard bits >> 29 == 0 else { throw .malformed(.webp, "a VP8L picture of an unknown version") }
        guard !fields.isAtEnd else { throw .malformed(.webp, "a picture without data") }
        return PixelSize(width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1)
    }
}
