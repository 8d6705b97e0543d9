/// Metadata as ImageMagick writes them in a text: a name, a length, and hexadecimal digits in lines.
struct HexadecimalProfile {
    let bytes: [UInt8]

    private let plain: [UInt8]

    /// Where the digits are.
    private let digits: [Int]

    init(_ text: [UInt8]) {
        plain = text
        let lines = text.indices.split(whereSeparator: { text[$0] == UInt8(ascii: "\n") }).dropFirst(2)
        digits = lines.joined().filter { Self.value(text[$0]) != nil }
        let values = digits.compactMap { Self.value(text[$0]) }
        bytes = stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    /// The text with other bytes, of the same number.
    func text(of bytes: [UInt8]) -> [UInt8] {
        var text = plain
        for (index, byte) in bytes.enumerated() where byte != self.bytes[index] {
            text[digits[2 * index]] = Self.digit(byte >> 4)
            text[digits[2 * index + 1]] = Self.digit(byte & 15)
        }
        return text
    }

    private static func value(_ byte: UInt8) -> Int? { Character(UnicodeScalar(byte)).hexDigitValue }

    private static func digit(_ value: UInt8) -> UInt8 { Array("0123456789abcdef".utf8)[Int(value)] }
}
