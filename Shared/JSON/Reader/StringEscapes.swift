/// The backslash escapes of JSON strings (RFC 8259 §7); lone surrogates are refused (RFC 7493 §2.1).
enum StringEscapes {
    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// Returns the length of the escape at the start of `bytes` (a surrogate pair is one escape); nil when it is
    /// invalid.
    static func length(_ bytes: Bytes) -> Int? {
        guard bytes.count >= 2 else { return nil }
        switch bytes[bytes.startIndex + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(bytes) else { return nil }
            if UTF16.isTrailSurrogate(unit) { return nil }
            if !UTF16.isLeadSurrogate(unit) { return 6 }
            guard let trail = codeUnit(bytes.dropFirst(6)), UTF16.isTrailSurrogate(trail) else { return nil }
            return 12
        default: return nil
        }
    }

    /// Decodes a string that `length` has found valid.
    static func decode(_ bytes: Bytes) -> String {
        var text = String.UnicodeScalarView()
        var rest = bytes
        while let escape = rest.firstIndex(of: UInt8(ascii: "\\")) {
            text.append(contentsOf: String(decoding: rest[..<escape], as: UTF8.self).unicodeScalars)
            rest = rest[escape...]
            guard let length = length(rest) else { break }
            text.append(contentsOf: scalars(of: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        text.append(contentsOf: String(decoding: rest, as: UTF8.self).unicodeScalars)
        return String(text)
    }

    private static func scalars(of escape: Bytes) -> String.UnicodeScalarView {
        switch escape[escape.startIndex + 1] {
        case UInt8(ascii: "b"): "\u{8}".unicodeScalars
        case UInt8(ascii: "f"): "\u{C}".unicodeScalars
        case UInt8(ascii: "n"): "\n".unicodeScalars
        case UInt8(ascii: "r"): "\r".unicodeScalars
        case UInt8(ascii: "t"): "\t".unicodeScalars
        case UInt8(ascii: "u"):
            String(decoding: [codeUnit(escape), codeUnit(escape.dropFirst(6))].compactMap(\.self), as: UTF16.self)
                .unicodeScalars
        case let itself: String(UnicodeScalar(itself)).unicodeScalars
        }
    }

    /// Returns the UTF-16 code unit of the `\uXXXX` at the start of `bytes`.
    private static func codeUnit(_ bytes: Bytes) -> UInt16? {
        guard bytes.count >= 6, bytes.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else { return nil }
        var unit: UInt16 = 0
        for byte in bytes.dropFirst(2).prefix(4) {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
