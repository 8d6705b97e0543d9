/// Well-formed UTF-8 sequences of more than one byte (Unicode Standard, table 3-7).
enum UTF8Sequence {
    /// Returns the length of the sequence at the start of `bytes`; nil when it is overlong, a surrogate, above
    /// U+10FFFF, truncated, or does not start with a lead byte.
    static func length(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let start = bytes.startIndex
        let lead = bytes[start]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard bytes.count >= length, second.contains(bytes[start + 1]) else { return nil }
        for index in 2..<max(length, 2) where bytes[start + index] & 0xC0 != 0x80 { return nil }
        return length
    }
}
