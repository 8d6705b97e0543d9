/// The frames of an APNG: their number must equal the announced one, and each must be inside the canvas and have data.
///
/// A default image before the first frame is for viewers without animation and does not count as a frame.
struct PNGAnimation {
    static let sequenceNumberLength = 4

    private let announced: Int
    private var frames = 0
    private var lastHasData = true

    /// Whether there is a default image before the first frame.
    private(set) var hasHiddenImage = false

    init(control: ByteCursor) throws(ImageRejection) {
        var fields = control
        announced = Int(try fields.bigEndian(UInt32.self))
    }

    /// - Parameter isImage: whether the image data of the PNG itself is that of the frame.
    mutating func begin(frame: ByteCursor, in canvas: PixelSize, isImage: Bool) throws(ImageRejection) {
        guard lastHasData else { throw Self.withoutData }
        var fields = frame
        try fields.skip(Self.sequenceNumberLength)
        let width = Int(try fields.bigEndian(UInt32.self))
        let height = Int(try fields.bigEndian(UInt32.self))
        let x = Int(try fields.bigEndian(UInt32.self))
        let y = Int(try fields.bigEndian(UInt32.self))
        let size = PixelSize(width: width, height: height)
        guard size.isPositive, canvas.holds(size, x: x, y: y) else {
            throw .malformed(.png, "a frame outside the canvas")
        }
        guard !isImage || size == canvas else {
            throw .malformed(.png, "a first frame of another size than the canvas")
        }
        frames += 1
        lastHasData = false
    }

    mutating func data(length: Int) throws(ImageRejection) {
        guard frames > 0 else { throw .malformed(.png, "frame data without a frame header") }
        if length > 0 { lastHasData = true }
    }

    mutating func defaultImage(length: Int) {
        hasHiddenImage = frames == 0
        if length > 0 { lastHasData = true }
    }

    func finish() throws(ImageRejection) -> Int {
        guard lastHasData else { throw Self.withoutData }
        guard frames == announced else {
            throw .malformed(.png, "\(frames) frames where \(announced) were announced")
        }
        return frames
    }

    private static var withoutData: ImageRejection { .malformed(.png, "a frame without data") }
}
