import Foundation

/// Decides whether bytes are a complete image, from the bytes alone, never from a name or a header.
///
/// It walks the structure to the end mark, in time linear in the size and without copying; it does not decode pixels.
/// Like viewers, it ignores bytes after the end mark.
public enum ImageInspector {
    /// The maximum number of pixels of a frame at canvas size: the memory that a viewer may need.
    public static let maximumPixels = 50_000_000

    /// The maximum number of pixels over all frames: the time that a viewer may need.
    public static let maximumPixelsOfFrames = 1_000_000_000

    /// Returns the properties of the image, or throws the reason for its rejection.
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

    /// Checks the size of the image, or of a picture inside it.
    static func check(_ size: PixelSize, frames: Int = 1, of format: ImageFormat) throws(ImageRejection) {
        guard size.isPositive else { throw .malformed(format, "its size is \(size.width) × \(size.height)") }
        guard frames > 0 else { throw .malformed(format, "it has no frames") }
        guard size.pixels() <= maximumPixels else { throw .tooManyPixels(count: size.pixels(), limit: maximumPixels) }
        let pixels = size.pixels(frames: frames)
        guard pixels <= maximumPixelsOfFrames else {
            throw .tooManyPixelsOfFrames(count: pixels, limit: maximumPixelsOfFrames)
        }
    }
}
