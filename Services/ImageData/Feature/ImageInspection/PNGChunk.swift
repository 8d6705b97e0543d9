/// A chunk: length, type, content and checksum, which is already verified.
struct PNGChunk {
    let type: FourCC
    let content: ByteCursor

    /// Whether viewers that do not know the type must not show the picture (PNG, third edition, 5.4).
    let isCritical: Bool

    init(from cursor: inout ByteCursor) throws(ImageRejection) {
        let length = Int(try cursor.bigEndian(UInt32.self))
        var checked = try cursor.part(4 + length, atEnd: .malformed(.png, "a chunk too short for its fields"))
        guard try cursor.bigEndian(UInt32.self) == CRC32.checksum(checked.bytes) else {
            throw .malformed(.png, "the checksum of a chunk is wrong")
        }
        isCritical = checked.bytes.first.map { $0 & 0x20 == 0 } ?? false
        type = try checked.fourCC()
        content = try checked.part(length, atEnd: .malformed(.png, "a chunk too short for its fields"))
    }
}
