import Foundation

/// Decides from bytes alone, never from a name or a header, whether they are a complete image.
///
/// The structure is walked to its end mark, in time linear in the bytes and without copying them; pixels are not
/// decoded. What follows the end mark is ignored, as viewers do.
public enum ImageInspector {
    /// Summed over the frames, each as large as the canvas: what showing the image can cost in memory.
    public static let maximumPixels = 50_000_000

    /// What the image says about itself, or why it is refused.
    public static func inspect(_ bytes: Data) throws(ImageRejection) -> ImageInfo {
        guard !bytes.isEmpty else { throw .empty }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ImageRejection) in try inspect(bytes) }
        }
        return try result.get()
    }

    private static func inspect(_ bytes: UnsafeRawBufferPointer) throws(ImageRejection) -> ImageInfo {
        guard let format = ImageFormat(signatureOf: bytes) else { throw .notAnImage }
        let file = ByteCursor(bytes, atEnd: .truncated(format))
        let info =
            switch format {
            case .jpeg: try JPEGWalk.inspect(file)
            case .png: try PNGWalk.inspect(file)
            case .gif: try GIFWalk.inspect(file)
            case .webp: try WebPWalk.inspect(file)
            case .avif: try AVIFWalk.inspect(file)
            }
        try check(PixelSize(width: info.width, height: info.height), frames: info.frames, of: format)
        return info
    }

    /// The rules about size, for the image itself and for what a format hides beside it.
    static func check(_ size: PixelSize, frames: Int = 1, of format: ImageFormat) throws(ImageRejection) {
        guard size.isPositive else { throw .malformed(format, "its size is \(size.width) × \(size.height)") }
        guard frames > 0 else { throw .malformed(format, "it has no frames") }
        let pixels = size.pixels(frames: frames)
        guard pixels <= maximumPixels else { throw .tooManyPixels(count: pixels, limit: maximumPixels) }
    }
}
