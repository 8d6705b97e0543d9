/// Walks the markers of a JPEG from SOI to EOI (ITU-T T.81, annex B).
///
/// It skips segments by their length, so it never parses the markers of an embedded thumbnail.
struct JPEGWalk {
    private var cursor: ByteCursor
    private var size: PixelSize?
    private var hasScan = false
    private var orientation: Orientation?

    static func inspect(_ file: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var walk = JPEGWalk(cursor: file)
        try walk.cursor.skip(2)  // SOI, part of the signature
        while try walk.step() {}
        guard let size = walk.size, walk.hasScan else { throw malformed("it ends without a picture") }
        return ImageInfo(format: .jpeg, size: size, orientation: walk.orientation ?? .upright)
    }

    /// Skips one marker and its segment; returns false after EOI.
    private mutating func step() throws(ImageRejection) -> Bool {
        switch try marker() {
        case 0xD9:
            return false
        case 0x01, 0xD0...0xD7:  // TEM and restart markers have no segment
            break
        case 0xC0...0xC2, 0xC9, 0xCA:
            try frameHeader(segment())
        case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF:  // lossless and hierarchical
            throw Self.unshown
        case 0xDA:
            try scanHeader(segment())
            try skipScan()
        case 0x00, 0x02...0xBF, 0xD8:
            throw Self.malformed("an unexpected marker")
        case 0xE1 where !hasScan:
            applicationData(try segment())
        default:
            _ = try segment()
        }
        return true
    }

    /// Reads the orientation from the first EXIF segment with data. Browsers ignore one behind pixels.
    private mutating func applicationData(_ segment: ByteCursor) {
        let name = Array("Exif\0".utf8)
        var data = segment
        // Any byte may follow the name.
        guard orientation == nil, segment.bytes.starts(with: name), (try? data.skip(name.count + 1)) != nil,
            let exif = try? data.part(data.remaining, atEnd: .truncated(.jpeg)), Orientation.isExif(exif)
        else { return }
        orientation = Orientation(exif: exif)
    }

    private mutating func marker() throws(ImageRejection) -> UInt8 {
        guard try cursor.byte() == 0xFF else { throw Self.malformed("bytes outside of a segment") }
        var code = try cursor.byte()
        while code == 0xFF { code = try cursor.byte() }  // fill bytes
        return code
    }

    private mutating func segment() throws(ImageRejection) -> ByteCursor {
        let length = Int(try cursor.bigEndian(UInt16.self)) - 2  // the length includes its own two bytes
        guard length >= 0 else { throw Self.malformed("a segment with a negative length") }
        return try cursor.part(length, atEnd: Self.malformed("a segment too short for its fields"))
    }

    private mutating func frameHeader(_ segment: ByteCursor) throws(ImageRejection) {
        guard size == nil else { throw Self.malformed("a second frame") }
        var fields = segment
        guard try fields.byte() == 8 else { throw Self.unshown }  // bits per sample
        let height = Int(try fields.bigEndian(UInt16.self))
        let width = Int(try fields.bigEndian(UInt16.self))
        let components = Int(try fields.byte())
        guard components > 0, fields.remaining == 3 * components else {
            throw Self.malformed("a frame header of the wrong length")
        }
        size = PixelSize(width: width, height: height)
    }

    private mutating func scanHeader(_ segment: ByteCursor) throws(ImageRejection) {
        guard size != nil else { throw Self.malformed("a scan before its frame") }
        var fields = segment
        let components = Int(try fields.byte())
        guard 1...4 ~= components, fields.remaining == 2 * components + 3 else {
            throw Self.malformed("a scan header of the wrong length")
        }
        hasScan = true
    }

    /// Skips to the marker that ends the scan. Inside a scan FF 00 is data, and restart markers are part of it.
    private mutating func skipScan() throws(ImageRejection) {
        let start = cursor.position
        while true {
            try cursor.skip(to: 0xFF)
            let beforeMarker = cursor
            switch try marker() {
            case 0x00, 0xD0...0xD7:
                continue
            default:
                guard beforeMarker.position > start else { throw Self.malformed("a scan without data") }
                cursor = beforeMarker
                return
            }
        }
    }

    private static let unshown = malformed("a kind of JPEG that browsers do not show")

    private static func malformed(_ what: String) -> ImageRejection { .malformed(.jpeg, what) }
}
