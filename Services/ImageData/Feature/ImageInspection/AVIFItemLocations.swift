/// The locations of the items' data (`iloc`); all of it must be in the file.
struct AVIFItemLocations {
    let fileLength: Int
    /// The length of `idat`, which holds small items inside the metadata.
    let itemDataLength: Int

    func check(_ box: ByteCursor, primary: UInt32) throws(ImageRejection) {
        var fields = box
        let layout = try Layout(&fields)
        // Extents of zero size are rejected, because they would take time out of proportion to the file's size.
        guard layout.extent > 0 else { throw .malformed(.avif, "extents without an offset and a length") }
        let count = layout.version < 2 ? UInt32(try fields.bigEndian(UInt16.self)) : try fields.bigEndian(UInt32.self)
        var primaryLength = 0
        for _ in 0..<count {
            let (id, length) = try checkItem(&fields, layout)
            if id == primary { primaryLength = length }
        }
        guard primaryLength > 0 else { throw .malformed(.avif, "its primary item has no data") }
    }

    /// The size of each field in bytes; zero for an absent field.
    private struct Layout {
        let version: UInt8
        let offset, length, base, index: Int

        init(_ fields: inout ByteCursor) throws(ImageRejection) {
            version = try fields.versionAndFlags().version
            let sizes = try fields.bigEndian(UInt16.self)
            offset = Int(sizes >> 12 & 0xF)
            length = Int(sizes >> 8 & 0xF)
            base = Int(sizes >> 4 & 0xF)
            index = version == 0 ? 0 : Int(sizes & 0xF)
        }

        var extent: Int { offset + length + index }
    }

    private func checkItem(
        _ fields: inout ByteCursor, _ layout: Layout
    ) throws(ImageRejection) -> (id: UInt32, length: Int) {
        let id = layout.version < 2 ? UInt32(try fields.bigEndian(UInt16.self)) : try fields.bigEndian(UInt32.self)
        let construction = layout.version == 0 ? 0 : try fields.bigEndian(UInt16.self) & 0xF
        guard try fields.bigEndian(UInt16.self) == 0 else { throw .malformed(.avif, "an item outside the file") }
        let base = try fields.bigEndian(bytes: layout.base)
        let count = Int(try fields.bigEndian(UInt16.self))
        var total = 0
        for _ in 0..<count {
            _ = try fields.bigEndian(bytes: layout.index)
            let offset = try fields.bigEndian(bytes: layout.offset)
            let length = try fields.bigEndian(bytes: layout.length)
            try check(construction: construction, base: base, offset: offset, length: length)
            total = total.addingReportingOverflow(length).overflow ? .max : total + length
        }
        return (id, total)
    }

    private func check(construction: UInt16, base: Int, offset: Int, length: Int) throws(ImageRejection) {
        let (start, farAway) = base.addingReportingOverflow(offset)
        let (end, endless) = start.addingReportingOverflow(length)
        let isBeyond = { (limit: Int) in farAway || endless || end > limit }
        switch construction {
        case 0 where isBeyond(fileLength):
            throw .truncated(.avif)
        case 1 where isBeyond(itemDataLength):
            throw .malformed(.avif, "an item outside its box")
        default:
            break  // part of another item, which is checked itself
        }
    }
}

extension ByteCursor {
    /// Reads a number of 0, 4 or 8 bytes.
    fileprivate mutating func bigEndian(bytes: Int) throws(ImageRejection) -> Int {
        switch bytes {
        case 0: 0
        case 4: Int(try bigEndian(UInt32.self))
        case 8: Int(clamping: try bigEndian(UInt64.self))
        default: throw .malformed(.avif, "a number of \(bytes) bytes")
        }
    }
}
