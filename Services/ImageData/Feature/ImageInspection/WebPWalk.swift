/// Walks the RIFF container and its chunks (RFC 9649).
enum WebPWalk {
    static func inspect(_ file: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var cursor = file
        try cursor.skip(4)  // "RIFF"
        let length = Int(try cursor.littleEndian(UInt32.self))
        var chunks = try cursor.part(length, atEnd: .malformed(.webp, "a chunk extends beyond the container"))
        try chunks.skip(4)  // "WEBP"
        let first = try WebPChunk(from: &chunks)
        if first.type == "VP8X" { return try WebPExtended.inspect(header: first.content, chunks) }
        guard first.isBitstream else { throw .malformed(.webp, "it does not begin with a picture") }
        while !chunks.isAtEnd { _ = try WebPChunk(from: &chunks) }
        return ImageInfo(format: .webp, size: try WebPBitstream.size(first))
    }
}
