/// A WebP file that begins with its canvas size and may be animated.
struct WebPExtended {
    private let canvas: PixelSize
    private let isAnimated: Bool
    private var hasAnimationHeader = false
    private var frames = 0

    static func inspect(header: ByteCursor, _ chunks: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var walk = try WebPExtended(header)
        var chunks = chunks
        while !chunks.isAtEnd { try walk.step(try WebPChunk(from: &chunks)) }
        guard walk.frames > 0 else { throw malformed("it ends without a picture") }
        // The orientation in EXIF has no effect: browsers turn no WebP.
        return ImageInfo(format: .webp, size: walk.canvas, frames: walk.frames)
    }

    private init(_ header: ByteCursor) throws(ImageRejection) {
        var fields = header
        isAnimated = try fields.byte() & 0x02 != 0
        try fields.skip(3)
        let width = try fields.littleEndian24() + 1
        canvas = PixelSize(width: width, height: try fields.littleEndian24() + 1)
    }

    private mutating func step(_ chunk: WebPChunk) throws(ImageRejection) {
        switch chunk.type {
        case "ANIM":
            hasAnimationHeader = true
        case "ANMF":
            guard isAnimated, hasAnimationHeader else { throw Self.malformed("a frame without an animation header") }
            try frame(chunk.content)
        case "VP8 ", "VP8L":
            guard !isAnimated, frames == 0 else { throw Self.malformed("an unexpected picture") }
            guard try WebPBitstream.size(chunk) == canvas else {
                throw Self.malformed("a picture whose size differs from the canvas")
            }
            frames = 1
        default:
            break
        }
    }

    private mutating func frame(_ content: ByteCursor) throws(ImageRejection) {
        var fields = content
        let x = 2 * (try fields.littleEndian24())
        let y = 2 * (try fields.littleEndian24())
        let width = try fields.littleEndian24() + 1
        let size = PixelSize(width: width, height: try fields.littleEndian24() + 1)
        try fields.skip(4)  // duration and blending
        guard canvas.holds(size, x: x, y: y) else { throw Self.malformed("a frame outside the canvas") }
        guard try Self.picture(in: fields) == size else {
            throw Self.malformed("a picture whose size differs from its frame")
        }
        frames += 1
    }

    private static func picture(in chunks: ByteCursor) throws(ImageRejection) -> PixelSize {
        var chunks = chunks
        var size: PixelSize?
        while !chunks.isAtEnd {
            let chunk = try WebPChunk(from: &chunks)
            guard chunk.isBitstream else { continue }
            guard size == nil else { throw malformed("two pictures in a frame") }
            size = try WebPBitstream.size(chunk)
        }
        guard let size else { throw malformed("a frame without a picture") }
        return size
    }

    private static func malformed(_ what: String) -> ImageRejection { .malformed(.webp, what) }
}
