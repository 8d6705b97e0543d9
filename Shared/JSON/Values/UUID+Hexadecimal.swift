import FoundationEssentials

// UUIDs are the most frequent values; Foundation's conversions use `printf` and `scanf`, which are slow.

extension UUID {
    /// The positions of each byte's digits among the 36 characters.
    private static let places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
    private static let hyphens = [8, 13, 18, 23]
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Reads `8-4-4-4-12` hexadecimal digits in either case, and nothing else: Foundation also accepts signs and
    /// spaces.
    package init?(hexadecimal text: String) {
        var text = text
        guard let id = text.withUTF8({ UUID(hexadecimal: $0) }) else { return nil }
        self = id
    }

    init?(hexadecimal characters: UnsafeBufferPointer<UInt8>) {
        guard characters.count == 36, Self.hyphens.allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        var id: uuid_t = UUID.zero
        let isValid = withUnsafeMutableBytes(of: &id) { bytes in
            for (index, place) in Self.places.enumerated() {
                guard let high = Self.value(characters[place]), let low = Self.value(characters[place + 1]) else {
                    return false
                }
                bytes[index] = high << 4 | low
            }
            return true
        }
        guard isValid else { return nil }
        self.init(uuid: id)
    }

    /// The UUID in upper case, as ASCII.
    var hexadecimal: [UInt8] {
        var characters = [UInt8](repeating: UInt8(ascii: "-"), count: 36)
        withUnsafeBytes(of: uuid) { bytes in
            for (byte, place) in zip(bytes, Self.places) {
                characters[place] = Self.digits[Int(byte >> 4)]
                characters[place + 1] = Self.digits[Int(byte & 0xF)]
            }
        }
        return characters
    }

    static let zero: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
