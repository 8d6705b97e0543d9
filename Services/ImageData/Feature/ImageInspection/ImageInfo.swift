/// Properties of a complete image, read from its bytes.
public struct ImageInfo: Equatable, Sendable {
    public let format: ImageFormat
    /// The size of the canvas as stored; viewers apply rotation metadata.
    public let width: Int
    public let height: Int
    /// One for a still image.
    public let frames: Int

    init(format: ImageFormat, size: PixelSize, frames: Int = 1) {
        self.format = format
        self.width = size.width
        self.height = size.height
        self.frames = frames
    }
}
