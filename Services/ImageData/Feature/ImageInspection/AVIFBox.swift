/// A box: length, type and content. It is complete or rejected. Boxes are not parsed recursively, but only along a few
/// known paths.
struct AVIFBox {
    let type: FourCC
    let content: ByteCursor

    /// Nil at the end. In the file itself (`isOutermost`) the last box may have no stated length.
    init?(from cursor: inout ByteCursor, isOutermost: Bool = false) throws(ImageRejection) {
        guard !cursor.isAtEnd else { return nil }
        let start = cursor.position
        let shortLength = try cursor.bigEndian(UInt32.self)
        type = try cursor.fourCC()
        let contentLength: Int
        switch shortLength {
        case 0 where isOutermost:
            contentLength = cursor.remaining
        case 1:
            let length = Int(clamping: try cursor.bigEndian(UInt64.self))
            contentLength = length - (cursor.position - start)
        default:
            contentLength = Int(shortLength) - (cursor.position - start)
        }
        guard contentLength >= 0 else { throw .malformed(.avif, "a box with a negative length") }
        content = try cursor.part(contentLength, atEnd: .malformed(.avif, "a box too short for its fields"))
    }
}

extension ByteCursor {
    /// The content of the first box of that type at or after this position.
    func box(_ type: FourCC) throws(ImageRejection) -> ByteCursor? {
        var cursor = self
        while let box = try AVIFBox(from: &cursor) {
            if box.type == type { return box.content }
        }
        return nil
    }

    func requiredBox(_ type: FourCC) throws(ImageRejection) -> ByteCursor {
        guard let content = try box(type) else { throw .malformed(.avif, "it has no \(type) box") }
        return content
    }

    /// The version of a "full" box; its flags are the lower 24 bits.
    mutating func versionAndFlags() throws(ImageRejection) -> (version: UInt8, flags: UInt32) {
        let word = try bigEndian(UInt32.self)
        return (UInt8(truncatingIfNeeded: word >> 24), word & 0xFF_FFFF)
    }
}
