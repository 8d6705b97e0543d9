import Foundation

/// A tiny picture that is shown until the real one has arrived: at most 12 pixels. Viewers scale it up smoothly and blur it.
///
/// The bytes are one byte with the number of columns in its upper four bits and the number of rows in its lower four, then
/// three bytes (red, green, blue in sRGB) for each pixel, row by row from the top left. JSON has them in base64.
public struct Placeholder: Equatable, Hashable, Sendable {
    /// The maximum number of pixels: 4 × 3, 3 × 4, 12 × 1 ….
    public static let maximumPixels = 12

    /// The maximum size in bytes.
    public static let maximumBytes = 1 + 3 * maximumPixels

    /// The maximum size in base64.
    static let maximumText = (maximumBytes + 2) / 3 * 4

    public let bytes: Data

    /// - Returns: nil for bytes in another format.
    public init?(_ bytes: Data) {
        guard let first = bytes.first else { return nil }
        let (columns, rows) = (Int(first >> 4), Int(first & 0x0F))
        guard columns > 0, rows > 0, columns * rows <= Self.maximumPixels, bytes.count == 1 + 3 * columns * rows else {
            return nil
        }
        self.bytes = Data(bytes)
    }

    /// - Returns: nil for anything but the standard base64 (RFC 4648, section 4) of a placeholder.
    public init?(base64: String) {
        // Checked first, so that a long text is not decoded.
        guard base64.utf8.count <= Self.maximumText, let bytes = Data(base64Encoded: base64) else {
            return nil
        }
        self.init(bytes)
    }

    public var base64: String { bytes.base64EncodedString() }

    public var columns: Int { Int(bytes[0] >> 4) }
    public var rows: Int { Int(bytes[0] & 0x0F) }

    /// The pixels, row by row: three bytes each.
    public var pixels: Data { bytes.dropFirst() }

    /// The numbers of columns and rows for a picture: nearly square cells.
    public static func grid(width: Int, height: Int) -> (columns: Int, rows: Int) {
        let columns = (Double(maximumPixels) * Double(width) / Double(height)).squareRoot().rounded()
        let count = Int(min(max(columns, 1), Double(maximumPixels)))
        return (count, maximumPixels / count)
    }
}
