/// Text whose bytes of UTF-8 were each written as a character of their own: `Ã©` for `é`, as Instagram's archives have it.
enum MisreadText {
    /// Repairs each run of such characters by itself, so that one other character does not leave the whole text damaged. The beginning
    /// of a character whose rest is missing is dropped.
    static func repaired(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var repaired = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let length = sequenceLength(scalars[index])
            let rest = scalars[index..<min(index + length, scalars.count)]
            let tail = rest.dropFirst().prefix { (0x80...0xBF).contains($0.value) }
            if length > 1, tail.count == length - 1,
                let character = String(validating: rest.map { UInt8($0.value) }, as: UTF8.self)
            {
                repaired.append(contentsOf: character.unicodeScalars)
                index += length
            } else if length > 1, isCut(tail) {
                index += 1 + tail.count
            } else {
                repaired.append(scalars[index])
                index += 1
            }
        }
        return String(repaired).trimmingSuffix { $0.isWhitespace }
    }

    /// The number of bytes of the character that begins with this byte; 1 for what begins none.
    private static func sequenceLength(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    /// No text has control characters of this block: they are bytes.
    private static func isCut(_ tail: ArraySlice<Unicode.Scalar>) -> Bool {
        tail.contains { (0x80...0x9F).contains($0.value) }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isSuffix: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isSuffix(last) { text.removeLast() }
        return text
    }
}
