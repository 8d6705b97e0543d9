import Foundation

/// Turns the few pixels of a placeholder into a picture that is part of the page. Browsers scale it up smoothly.
enum PlaceholderPicture {
    /// A `data:` URL of a bitmap, because no other format that browsers know needs less code or, at this size, fewer bytes.
    /// - Parameter pixels: red, green and blue of each pixel, row by row from the top left.
    /// - Returns: nil for another number of pixels.
    static func url(columns: Int, rows: Int, pixels: some Collection<UInt8>) -> String? {
        let bytes = Array(pixels)
        guard columns > 0, rows > 0, bytes.count == 3 * columns * rows else { return nil }
        var bitmap = Data("BM".utf8)
        let padding = (4 - 3 * columns % 4) % 4
        let size = headerSize + rows * (3 * columns + padding)
        // A negative height: the first row is the top one.
        for number in [size, 0, headerSize, 40, columns, -rows, 1 | 24 << 16, 0, 0, 0, 0, 0, 0] {
            withUnsafeBytes(of: Int32(number).littleEndian) { bitmap.append(contentsOf: $0) }
        }
        for row in 0..<rows {
            for column in 0..<columns {
                let start = 3 * (row * columns + column)
                bitmap.append(contentsOf: bytes[start..<start + 3].reversed())
            }
            bitmap.append(contentsOf: Array(repeating: 0, count: padding))
        }
        return "data:image/bmp;base64,\(bitmap.base64EncodedString())"
    }

    /// The file header and the information header, in bytes.
    private static let headerSize = 54
}
