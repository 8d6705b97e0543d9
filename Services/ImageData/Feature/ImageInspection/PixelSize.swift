/// The width and height that a file states: not negative, but otherwise untrusted.
struct PixelSize: Equatable {
    var width: Int
    var height: Int

    var isPositive: Bool { width > 0 && height > 0 }

    /// The number of pixels in `frames` frames of this size; `Int.max` on overflow.
    func pixels(frames: Int = 1) -> Int {
        let (oneFrame, tooLarge) = width.multipliedReportingOverflow(by: height)
        let (all, tooMany) = oneFrame.multipliedReportingOverflow(by: frames)
        return tooLarge || tooMany ? .max : all
    }

    /// Whether a frame is inside this canvas. It subtracts, because an addition could overflow.
    /// - Parameters:
    ///   - x: not negative, like `y`.
    func holds(_ frame: PixelSize, x: Int, y: Int) -> Bool {
        frame.width <= width - x && frame.height <= height - y
    }
}
