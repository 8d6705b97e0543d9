/// Builds the segments of a JPEG. The scans contain no picture, only bytes that matter for walking the structure.
enum JPEGBytes {
    static let start: Bytes = [0xFF, 0xD8]
    static let end: Bytes = [0xFF, 0xD9]
    static let restart: Bytes = [0xFF, 0xD0]

    static func segment(_ marker: UInt8, _ content: Bytes) -> Bytes {
        [0xFF, marker] + be16(content.count + 2) + content
    }

    static func frame(marker: UInt8 = 0xC0, _ width: Int, _ height: Int) -> Bytes {
        segment(marker, [8] + be16(height) + be16(width) + [1, 1, 0x11, 0])
    }

    static func scan(_ data: Bytes = [0x12, 0xFF, 0x00, 0x34]) -> Bytes {
        segment(0xDA, [1, 1, 0, 0, 63, 0]) + data
    }

    static func image(_ width: Int = 16, _ height: Int = 12) -> Bytes {
        start + segment(0xE0, ascii("JFIF\0")) + segment(0xDB, zeros(65)) + frame(width, height)
            + segment(0xC4, zeros(17)) + scan() + end
    }

    static let manyScans =
        start + frame(marker: 0xC2, 16, 12) + scan([1, 2, 3]) + segment(0xC4, zeros(17)) + scan([0xFF, 0x00])
        + scan([7] + restart + [8, 0xFF, 0xD7, 9]) + end

    static let withThumbnail =
        start + segment(0xE1, ascii("Exif\0\0") + image(8, 6)) + segment(0xFE, end + start)
        + frame(16, 12) + scan() + end

    static let withFillBytes =
        start + [0xFF, 0xFF] + segment(0xE0, [0]) + [0xFF] + frame(16, 12) + scan([1, 2, 0xFF, 0xFF]) + end
}
