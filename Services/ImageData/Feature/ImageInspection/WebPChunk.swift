/// A chunk: type, length, content, and a padding byte after an odd length.
struct WebPChunk {
    let type: FourCC
    let content: ByteCursor

    init(from cursor: inout ByteCursor) throws(ImageRejection) {
        type = try cursor.fourCC()
        let length = Int(try cursor.littleEndian(UInt32.self))
        content = try cursor.part(length, atEnd: .malformed(.webp, "a chunk too short for its fields"))
        // Some encoders exclude the last padding byte from the container's length, so it may be missing.
        if length % 2 == 1, !cursor.isAtEnd { try cursor.skip(1) }
    }

    var isBitstream: Bool { type == "VP8 " || type == "VP8L" }
}
