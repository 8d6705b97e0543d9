/// The space that a page reserves for a picture before it arrives.
struct PictureBox: Equatable {
    let width: Int
    let height: Int

    /// The width divided by the height, for the style; nil when the size of the picture is not known.
    let ratio: Double?

    /// - Parameters: the size of the picture in pixels, if it is known.
    init(width: Int?, height: Int?) {
        guard let width, let height, width > 0, height > 0 else {
            (self.width, self.height, ratio) = (640, 640, nil)
            return
        }
        (self.width, self.height) = (width, height)
        ratio = (Double(width) / Double(height) * 10_000).rounded() / 10_000
    }
}
