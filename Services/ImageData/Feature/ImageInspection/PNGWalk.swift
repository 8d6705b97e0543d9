/// Walks the chunks of a PNG from the signature to IEND, and verifies the checksums of those that are drawn (PNG, third edition).
struct PNGWalk {
    private var cursor: ByteCursor
    private let size: PixelSize
    private var data = ImageData.none
    private var animation: PNGAnimation?
    private var orientation: Orientation?

    /// Whether there is a chunk with a wrong checksum, whose colours could count in a variant.
    private var hasDamagedChunk = false

    /// The IDAT chunks are one stream: they must be consecutive and not all empty.
    private enum ImageData { case none, open(isEmpty: Bool), closed }

    static func inspect(_ file: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var cursor = file
        try cursor.skip(8)  // the signature
        let header = try PNGChunk(from: &cursor)
        guard header.type == "IHDR" else { throw malformed("it does not begin with IHDR") }
        var walk = PNGWalk(cursor: cursor, size: try size(header.content))
        while try walk.step() {}
        return ImageInfo(
            format: .png, size: walk.size, frames: try walk.animation?.finish() ?? 1,
            orientation: walk.orientation ?? .upright,
            drawing: walk.animation?.hasHiddenImage == true || walk.hasDamagedChunk ? .other : .same)
    }

    /// Reads one chunk; returns false after IEND.
    private mutating func step() throws(ImageRejection) -> Bool {
        let chunk = try PNGChunk(from: &cursor)
        if chunk.type == "IDAT" {
            try imageData(chunk.content)
            return true
        }
        try endImageData()
        guard chunk.isIntact else {
            hasDamagedChunk = true
            return true
        }
        switch chunk.type {
        case "IHDR":
            throw Self.malformed("a second IHDR")
        case "IEND":
            guard case .closed = data else { throw Self.malformed("it has no image data") }
            return false
        case "acTL":
            // After the image data acTL has no effect: viewers would show one frame.
            guard case .none = data, animation == nil else { throw Self.malformed("an unexpected acTL") }
            animation = try PNGAnimation(control: chunk.content)
        case "fcTL":
            var isImage = false
            if case .none = data { isImage = true }
            try animation?.begin(frame: chunk.content, in: size, isImage: isImage)
        case "fdAT":
            try animation?.data(length: chunk.content.remaining - PNGAnimation.sequenceNumberLength)
        case "eXIf" where orientation == nil:
            // Browsers ignore it behind the image data.
            if case .none = data { orientation = Orientation(exif: chunk.content) }
        case "PLTE":
            break
        default:
            // The case of its first letter says whether viewers need a chunk to draw the picture.
            if chunk.isCritical { throw Self.malformed("a critical chunk of an unknown type") }
        }
        return true
    }

    private mutating func imageData(_ content: ByteCursor) throws(ImageRejection) {
        switch data {
        case .none: data = .open(isEmpty: content.isAtEnd)
        case .open(let isEmpty): data = .open(isEmpty: isEmpty && content.isAtEnd)
        case .closed: throw Self.malformed("image data in two places")
        }
        animation?.defaultImage(length: content.remaining)
    }

    private mutating func endImageData() throws(ImageRejection) {
        guard case .open(let isEmpty) = data else { return }
        guard !isEmpty else { throw Self.malformed("its image data is empty") }
        data = .closed
    }

    private static func size(_ header: ByteCursor) throws(ImageRejection) -> PixelSize {
        var fields = header
        let width = Int(try fields.bigEndian(UInt32.self))
        let height = Int(try fields.bigEndian(UInt32.self))
        let depth = try fields.byte()
        let colour = try fields.byte()
        let methods = (compression: try fields.byte(), filter: try fields.byte(), interlace: try fields.byte())
        let depths: [UInt8] =
            switch colour {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: []
            }
        guard depths.contains(depth), methods.compression == 0, methods.filter == 0, methods.interlace <= 1 else {
            throw malformed("IHDR describes no PNG image")
        }
        return PixelSize(width: width, height: height)
    }

    private static func malformed(_ what: String) -> ImageRejection { .malformed(.png, what) }
}
