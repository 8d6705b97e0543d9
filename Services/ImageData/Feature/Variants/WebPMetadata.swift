import Foundation

/// Removes metadata from a WebP.
public enum WebPMetadata {
    /// Chunks with a profile, the camera's data or other texts.
    private static let removed: Set = ["ICCP", "EXIF", "XMP "]

    /// The flags of these chunks in the header.
    private static let flags: UInt8 = 0x20 | 0x08 | 0x04

    /// - Returns: the picture without these chunks; nil for bytes that are no WebP.
    public static func removed(from webp: Data) -> Data? {
        let bytes = [UInt8](webp)
        guard bytes.count >= 12, webp.starts(with: Data("RIFF".utf8)) else { return nil }
        var (result, next) = (Data(bytes[..<12]), 12)
        while next < bytes.count {
            guard bytes.count - next >= 8 else { return nil }
            let name = String(decoding: bytes[next..<next + 4], as: UTF8.self)
            let size = (0..<4).reduce(0) { $0 | Int(bytes[next + 4 + $1]) << (8 * $1) }
            guard size <= bytes.count - next - 8 else { return nil }
            // An odd length is followed by a byte of padding, which may be missing at the end.
            let end = min(next + 8 + size + size % 2, bytes.count)
            if !removed.contains(name) {
                result.append(contentsOf: bytes[next..<end])
                if name == "VP8X", size > 0 { result[result.count - (end - next) + 8] &= ~flags }
            }
            next = end
        }
        let length = UInt32(result.count - 8)
        for index in 0..<4 { result[4 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
        return result
    }
}
