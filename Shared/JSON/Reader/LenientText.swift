/// Mends what other programs write wrongly, so that one odd value costs at most itself. In place: the offsets of everything else
/// stay.
enum LenientText {
    /// Replaces arrays and objects that are nested too deep by empty strings, and control characters in strings by spaces. A text
    /// that is no JSON for another reason stays so.
    static func mend(_ text: inout [UInt8]) {
        text.withUnsafeMutableBufferPointer { text in
            var (position, depth, tooDeep) = (0, 0, 0)
            while position < text.count {
                switch text[position] {
                case UInt8(ascii: "\""):
                    position = mendString(in: text, at: position)
                    continue
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth == JSONReader.maximumDepth + 1 { tooDeep = position }
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    if depth == JSONReader.maximumDepth + 1 {
                        text[tooDeep...position].update(repeating: UInt8(ascii: " "))
                        // The brackets leave room for the quotes.
                        text[tooDeep...tooDeep + 1].update(repeating: UInt8(ascii: "\""))
                    }
                    depth -= 1
                default: break
                }
                position += 1
            }
        }
    }

    /// - Returns: the position behind the string.
    private static func mendString(in text: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
        var position = start + 1
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""): return position + 1
            case UInt8(ascii: "\\"): position += 2
            case 0..<0x20:
                text[position] = UInt8(ascii: " ")
                position += 1
            default: position += 1
            }
        }
        return position
    }
}
