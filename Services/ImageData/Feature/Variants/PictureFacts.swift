import EdgeModel

/// What is known of a picture from its bytes.
public struct PictureFacts: Equatable, Sendable {
    /// In pixels, of the picture as it is shown.
    public let width: Int
    public let height: Int

    /// One for a still picture.
    public let frames: Int

    /// Nil until it is made, and for a picture that the program which makes it cannot read.
    public var placeholder: Placeholder?

    public init(width: Int, height: Int, frames: Int, placeholder: Placeholder? = nil) {
        self.width = width
        self.height = height
        self.frames = frames
        self.placeholder = placeholder
    }

    public init(_ info: ImageInfo) { self.init(width: info.shownWidth, height: info.shownHeight, frames: info.frames) }

    public var hints: PictureHints { PictureHints(width: width, height: height, placeholder: placeholder) }
}
