/// Width and height as a file states them: not negative, otherwise not to be trusted.
struct PixelSize: Equatable {
    var width: Int
    var height: Int

    var isPositive: Bool { width > 0 && height > 0 }

    /// The pixels of so many frames of this size; `Int.max` when that is more than an `Int` holds.
    func pixels(frames: Int = 1) -> Int {
        let (oneFrame, tooLarge) = width.multipliedReportingOverflow(by: height)
        let (all, tooMany) = oneFrame.multipliedReportingOverflow(by: frames)
        return tooLarge || tooMany ? .max : all
    }

    /// Whether a frame of that size lies inside this canvas. Subtracts, since adding could overflow.
    func holds(_ frame: PixelSize, x: Int, y: Int) -> Bool {
        x <= width && frame.width <= width - x && y <= height && frame.height <= height - y
    }
}
