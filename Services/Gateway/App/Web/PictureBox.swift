/// The space that a row reserves for a picture before it arrives.
struct PictureBox: Equatable {
    /// How the style cuts the picture.
    enum Shape: String {
        /// The picture is shown whole.
        case whole
        /// The size of the picture is not known.
        case square
        /// Higher than 4:5, or wider than 1.91:1; the style shows its middle with this ratio.
        case tall, wide
    }

    let width: Int
    let height: Int
    let shape: Shape

    /// - Parameters: the size of the picture in pixels, if it is known.
    init(width: Int?, height: Int?) {
        guard let width, let height, width > 0, height > 0 else {
            (self.width, self.height, shape) = (640, 640, .square)
            return
        }
        (self.width, self.height) = (width, height)
        let ratio = Double(width) / Double(height)
        shape = ratio < 0.8 ? .tall : ratio > 1.91 ? .wide : .whole
    }
}
