import EdgeModel
import Foundation

extension Placeholder {
    /// A `data:` URI of the placeholder as a BMP, which every browser shows, for an `img` element or a CSS background.
    public var dataURI: String { "data:image/bmp;base64,\(bmp.base64EncodedString())" }

    /// An uncompressed BMP with 24 bits per pixel (BITMAPINFOHEADER).
    var bmp: Data {
        let headerSize = 14 + 40
        // Rows are padded to multiples of four bytes.
        let rowSize = (3 * columns + 3) / 4 * 4
        var bmp = Data("BM".utf8)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bmp.append(contentsOf: $0) }
        }
        append(UInt32(headerSize + rowSize * rows))
        append(UInt32(0))  // reserved
        append(UInt32(headerSize))  // where the pixels begin
        append(UInt32(40))  // the size of the second header
        append(Int32(columns))
        append(Int32(-rows))  // negative: from the top
        append(UInt16(1))  // planes
        append(UInt16(24))  // bits per pixel
        append(UInt32(0))  // no compression
        append(UInt32(rowSize * rows))
        append(UInt32(2_835))  // 72 dots per inch, in pixels per metre
        append(UInt32(2_835))
        append(UInt64(0))  // no palette
        let pixels = Array(pixels)
        for row in 0..<rows {
            for column in 0..<columns {
                let start = 3 * (row * columns + column)
                bmp.append(contentsOf: pixels[start..<start + 3].reversed())  // blue, green, red
            }
            bmp.append(contentsOf: repeatElement(0, count: rowSize - 3 * columns))
        }
        return bmp
    }
}
