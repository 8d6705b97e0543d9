/// The backslash escapes of JSON strings (RFC 8259 §7); lone surrogates are refused (RFC 7493 §2.1).
enum StringEscapes {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Returns the length of the escape at `start` (a surrogate pair is one escape); nil when it is invalid.
    static func length(in bytes: Bytes, at start: Int) -> Int? {
        guard start + 1 < bytes.count else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(in: bytes, at: start) else { return nil }
            if UTF16.isTrailSurrogate(unit) { return nil }
            if !UTF16.isLeadSurrogate(unit) { return 6 }
            guard let trail = codeUnit(in: bytes, at: start + 6), UTF16.isTrailSurrogate(trail) else { return nil }
            return 12
        default: return nil
        }
    }

    /// Replaces each escape of a lone surrogate or of U+0000 by that of U+FFFD. The positions of everything else stay.
    static func replaceNonCharacters(in text: inout [UInt8]) {
        text.withUnsafeMutableBufferPointer { text in
            let bytes = Bytes(text)
            var position = 0
            while let start = bytes[position...].firstIndex(of: UInt8(ascii: "\\")) {
                let (length, unit) = (length(in: bytes, at: start), codeUnit(in: bytes, at: start))
                if let unit, unit == 0 || length == nil {
                    _ = text[start + 2..<start + 6].update(fromContentsOf: "fffd".utf8)
                } else if length == nil {
                    return
                }
                position = start + (length ?? 6)
            }
        }
    }

    /// Decodes a string that `length` has found valid, without its quotes. In linear time.
    static func decode(_ bytes: Bytes) -> String {
        // No escape is shorter than what it stands for.
        String(unsafeUninitializedCapacity: bytes.count) { decode(bytes, into: $0) }
    }

    /// - Returns: the number of bytes written to `text`.
    private static func decode(_ bytes: Bytes, into text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var (read, written) = (0, 0)
        while read < bytes.count {
            guard bytes[read] == UInt8(ascii: "\\") else {
                let end = StringBytes.endOfUnescaped(in: bytes, from: read)
                // A quote cannot occur; if it did, it would be a plain byte.
                let run = read..<max(end, read + 1)
                written =
                    UnsafeMutableBufferPointer(rebasing: text[written...])
                    .update(fromContentsOf: bytes[run]) + written
                read = run.upperBound
                continue
            }
            guard let length = length(in: bytes, at: read) else { break }
            for byte in UTF8.encode(scalar(in: bytes, at: read, length: length)) ?? UTF8.encodedReplacementCharacter {
                text[written] = byte
                written += 1
            }
            read += length
        }
        return written
    }

    private static func scalar(in bytes: Bytes, at start: Int, length: Int) -> UnicodeScalar {
        switch bytes[start + 1] {
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        case UInt8(ascii: "u"):
            UnicodeScalar(codePoint(in: bytes, at: start, length: length)) ?? "\u{FFFD}"
        case let itself: UnicodeScalar(itself)
        }
    }

    private static func codePoint(in bytes: Bytes, at start: Int, length: Int) -> UInt32 {
        let unit = UInt32(codeUnit(in: bytes, at: start) ?? 0)
        guard length == 12, let trail = codeUnit(in: bytes, at: start + 6) else { return unit }
        return 0x10000 + (unit - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
    }

    /// Returns the UTF-16 code unit of the `\uXXXX` at `start`.
    private static func codeUnit(in bytes: Bytes, at start: Int) -> UInt16? {
        guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[start + 2..<start + 6] {
            guard let digit = hexadecimalDigit(byte) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
