/// Properties of a complete image, read from its bytes.
public struct ImageInfo: Equatable, Sendable {
    public let format: ImageFormat
    /// The size of the canvas as stored, after cropping.
    public let width: Int
    public let height: Int
    /// One for a still image.
    public let frames: Int

    /// How viewers turn the picture.
    public let orientation: Orientation

    /// What libvips draws, compared with browsers.
    public let drawing: Drawing

    public enum Drawing: Equatable, Sendable {
        case same

        /// A GIF whose first frame leaves a part of the canvas transparent, which libvips makes black.
        /// - end: the position behind that frame.
        case partly(end: Int)

        /// An APNG whose default image is not part of the animation: libvips draws it, browsers the first frame. An AVIF that
        /// only libvips crops.
        case other
    }

    init(
        format: ImageFormat, size: PixelSize, frames: Int = 1, orientation: Orientation = .upright,
        drawing: Drawing = .same
    ) {
        self.format = format
        self.width = size.width
        self.height = size.height
        self.frames = frames
        self.orientation = orientation
        self.drawing = drawing
    }

    /// The size of the picture as it is shown.
    public var shownWidth: Int { orientation.exchangesSides ? height : width }
    public var shownHeight: Int { orientation.exchangesSides ? width : height }
}
