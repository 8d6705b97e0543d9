import Foundation

/// The text of a file that another program has written.
enum ForeignText {
    /// The text in UTF-8: programs of Windows write UTF-16, mostly with a byte order mark. Bytes that are no text count as U+FFFD.
    /// - Parameter isTyped: whether a person may have written the text, with a program that uses Windows-1252.
    static func utf8(_ data: Data, isTyped: Bool = false) -> Data {
        if data.starts(with: [0xFF, 0xFE]) { return utf8(units: data.dropFirst(2)) { $0 | $1 << 8 } }
        if data.starts(with: [0xFE, 0xFF]) { return utf8(units: data.dropFirst(2)) { $0 << 8 | $1 } }
        // JSON begins with two characters of ASCII.
        switch (data.first, data.dropFirst().first) {
        case (let first?, 0) where first != 0: return utf8(units: data) { $0 | $1 << 8 }
        case (0, let second?) where second != 0: return utf8(units: data) { $0 << 8 | $1 }
        default: break
        }
        // For speed: nearly every text is valid.
        if String(validating: data, as: UTF8.self) != nil { return data }
        let text = String(decoding: data, as: UTF8.self)
        let typed = isTyped && !hasCharacters(data, text) ? String(data: data, encoding: .windowsCP1252) : nil
        return Data((typed ?? text).utf8)
    }

    /// Whether UTF-8 has a character beyond ASCII, or the beginning of an emoji.
    private static func hasCharacters(_ data: Data, _ text: String) -> Bool {
        text.unicodeScalars.contains { !$0.isASCII && $0 != "\u{FFFD}" }
            || zip(data, data.dropFirst()).contains { 0xF0...0xF4 ~= $0 && 0x80...0xBF ~= $1 }
    }

    /// - Parameter unit: makes a code unit of two bytes, in their order.
    private static func utf8(units data: Data, _ unit: (UInt16, UInt16) -> UInt16) -> Data {
        let bytes = Array(data)
        // Of a file that was cut, half a code unit may be left.
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(UInt16(bytes[$0]), UInt16(bytes[$0 + 1])) }
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }
}
