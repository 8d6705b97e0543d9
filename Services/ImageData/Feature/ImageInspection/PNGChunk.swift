/// A chunk: length, type, content and checksum.
struct PNGChunk {
    let type: FourCC
    let content: ByteCursor

    /// Whether viewers that do not know the type must not show the picture (PNG, third edition, 5.4).
    let isCritical: Bool

    /// Whether the checksum is right. Browsers and libvips pass over those of texts, times, colours and Exif data where it is wrong.
    let isIntact: Bool

    init(from cursor: inout ByteCursor) throws(ImageRejection) {
        let length = Int(try cursor.bigEndian(UInt32.self))
        var checked = try cursor.part(4 + length, atEnd: .malformed(.png, "a chunk too short for its fields"))
        isIntact = try cursor.bigEndian(UInt32.self) == CRC32.checksum(checked.bytes)
        isCritical = checked.bytes.first.map { $0 & 0x20 == 0 } ?? false
        type = try checked.fourCC()
        content = try checked.part(length, atEnd: .malformed(.png, "a chunk too short for its fields"))
        guard isIntact || Self.passedOver.contains(type) else {
            throw .malformed(.png, "the checksum of a chunk is wrong")
        }
    }

    /// Where the type is wrong as well, the chunk may have been one that is drawn.
    private static let passedOver: [FourCC] = [
        "tEXt", "zTXt", "iTXt", "tIME", "eXIf", "pHYs", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI", "sBIT",
        "sPLT", "hIST", "bKGD", "tRNS",
    ]
}
