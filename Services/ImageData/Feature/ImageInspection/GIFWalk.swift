/// Walks the blocks of a GIF from the logical screen to the trailer (GIF87a, GIF89a).
struct GIFWalk {
    private var cursor: ByteCursor
    private var canvas: PixelSize
    private var frames = 0
    private var drawing = ImageInfo.Drawing.same

    static func inspect(_ file: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var cursor = file
        try cursor.skip(6)  // the signature
        let canvas = try size(from: &cursor)
        let flags = try cursor.byte()
        try cursor.skip(2)  // background and aspect ratio
        try skipColours(flags, in: &cursor)
        var walk = GIFWalk(cursor: cursor, canvas: canvas)
        while try walk.step() {}
        guard walk.frames > 0 else { throw malformed("it ends without a picture") }
        return ImageInfo(format: .gif, size: walk.canvas, frames: walk.frames, drawing: walk.drawing)
    }

    /// Skips one block; returns false after the trailer, and where the file ends behind a complete frame: browsers show such a file.
    private mutating func step() throws(ImageRejection) -> Bool {
        if cursor.isAtEnd, frames > 0 { return false }
        switch try cursor.byte() {
        case 0x00:
            // Some programs write one more zero behind the sub-blocks; viewers skip it.
            break
        case 0x3B:
            return false
        case 0x2C:
            try image()
        case 0x21:
            try cursor.skip(1)  // the kind of extension
            _ = try skipSubBlocks()
        default:
            throw Self.malformed("bytes outside of a block")
        }
        return true
    }

    private mutating func image() throws(ImageRejection) {
        let corner = try Self.size(from: &cursor)
        let size = try Self.size(from: &cursor)
        guard size.isPositive else { throw Self.malformed("a frame without width or height") }
        // In many files frames extend beyond the screen. Viewers enlarge it for the first one, and cut the others.
        if frames == 0 {
            canvas.width = max(canvas.width, corner.width + size.width)
            canvas.height = max(canvas.height, corner.height + size.height)
        }
        try Self.skipColours(try cursor.byte(), in: &cursor)
        guard 1...11 ~= (try cursor.byte()) else { throw Self.malformed("an invalid LZW code size") }
        guard try skipSubBlocks() > 0 else { throw Self.malformed("a frame without data") }
        if frames == 0, size != canvas { drawing = .partly(end: cursor.position) }
        frames += 1
    }

    /// Skips sub-blocks and returns the number of bytes in them.
    private mutating func skipSubBlocks() throws(ImageRejection) -> Int {
        var total = 0
        while true {
            let length = Int(try cursor.byte())
            guard length > 0 else { return total }
            try cursor.skip(length)
            total += length
        }
    }

    private static func skipColours(_ flags: UInt8, in cursor: inout ByteCursor) throws(ImageRejection) {
        guard flags & 0x80 != 0 else { return }
        try cursor.skip(3 << (Int(flags & 0x07) + 1))
    }

    private static func size(from cursor: inout ByteCursor) throws(ImageRejection) -> PixelSize {
        let width = Int(try cursor.littleEndian(UInt16.self))
        let height = Int(try cursor.littleEndian(UInt16.self))
        return PixelSize(width: width, height: height)
    }

    private static func malformed(_ what: String) -> ImageRejection { .malformed(.gif, what) }
}
