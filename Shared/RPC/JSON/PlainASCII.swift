/// Which bytes of a JSON string stand for themselves: ASCII that is neither a quote, a backslash nor a control character.
enum PlainASCII {
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Where the run of plain bytes that begins at `start` ends, looking at eight at a time: nearly all bytes of nearly all
    /// messages are plain.
    static func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = bytes.baseAddress else { return start }
        var position = start
        while position + 8 <= bytes.count,
            isAll(UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self))
        {
            position += 8
        }
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        return position
    }

    /// Whether all eight bytes are plain. Each term sets the top bit of a byte that is not (the classic tests for "a byte
    /// is zero" and "a byte is less than n"); false alarms are possible next to a real one only.
    private static func isAll(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        func hasZero(_ value: UInt64) -> UInt64 { (value &- ones) & ~value }
        let quote = hasZero(word ^ (ones &* UInt64(UInt8(ascii: "\""))))
        let backslash = hasZero(word ^ (ones &* UInt64(UInt8(ascii: "\\"))))
        let control = (word &- ones &* 0x20) & ~word
        return (quote | backslash | control | word) & tops == 0
    }
}
