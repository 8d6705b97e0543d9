/// A chunk: length, type, content and checksum.
struct PNGChunk {
    let type: FourCC
    let content: ByteCursor

    /// Whether viewers that do not know the type must not show the picture (PNG, third edition, 5.4).
    let isCritical: Bool

    /// Whether the checksum is right. Browsers and libvips pass over other chunks that are not critical.
    let isIntact: Bool

    init(from cursor: inout ByteCursor) throws(ImageRejection) {
        let length = Int(try cursor.bigEndian(UInt32.self))
        var checked = try cursor.part(4 + length, atEnd: .malformed(.png, "a chunk too short for its fields"))
        isIntact = try cursor.bigEndian(UInt32.self) == CRC32.checksum(checked.bytes)
        isCritical = checked.bytes.first.map { $0 & 0x20 == 0 } ?? false
        type = try checked.fourCC()
        content = try checked.part(length, atEnd: .malformed(.png, "a chunk too short for its fields"))
        guard isIntact || !isCritical && !Self.ofAnimations.contains(type) else {
            throw .malformed(.png, "the checksum of a chunk is wrong")
        }
    }

    /// Without one of these, an animation would have other frames.
    private static let ofAnimations: [FourCC] = ["acTL", "fcTL", "fdAT"]
}
