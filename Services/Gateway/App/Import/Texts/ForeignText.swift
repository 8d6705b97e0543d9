import Foundation

/// The text of a file that another program has written.
enum ForeignText {
    /// The text in UTF-8: programs of Windows write UTF-16, with a byte order mark. Bytes that are no text count as U+FFFD.
    static func utf8(_ data: Data) -> Data {
        if data.starts(with: [0xFF, 0xFE]) { return utf8(units: data.dropFirst(2)) { $0 | $1 << 8 } }
        if data.starts(with: [0xFE, 0xFF]) { return utf8(units: data.dropFirst(2)) { $0 << 8 | $1 } }
        // For speed: nearly every text is valid.
        if String(validating: data, as: UTF8.self) != nil { return data }
        return Data(String(decoding: data, as: UTF8.self).utf8)
    }

    /// - Parameter unit: makes a code unit of two bytes, in their order.
    private static func utf8(units data: Data, _ unit: (UInt16, UInt16) -> UInt16) -> Data {
        let bytes = Array(data)
        // Of a file that was cut, half a code unit may be left.
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(UInt16(bytes[$0]), UInt16(bytes[$0 + 1])) }
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }
}
