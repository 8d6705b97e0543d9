/// What the bytes of a complete image say about it.
public struct ImageInfo: Equatable, Sendable {
    public let format: ImageFormat
    /// Of the canvas, as stored: rotating by metadata is up to who shows it.
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
