import JSON
import RPC

/// Formats JSON with line breaks and indentation; members keep their order.
enum PrettyJSON {
    static func text(_ json: RawJSON) -> String {
        var text = ""
        var depth = 0
        var isInString = false
        var isEscaped = false
        var previous: Character = " "
        for character in "\(json)" {
            if isInString {
                text.append(contentsOf: visible(character))
                isInString = isEscaped || character != "\""
                isEscaped = character == "\\" && !isEscaped
            } else if !character.isWhitespace {
                switch character {
                case "{", "[":
                    if "{[,".contains(previous) { text += previous == "," ? "" : line(depth) }
                    text.append(character)
                    depth += 1
                case "}", "]":
                    depth -= 1
                    if !"{[".contains(previous) { text += line(depth) }
                    text.append(character)
                case ",": text += "," + line(depth)
                case ":": text += ": "
                default:
                    if "{[".contains(previous) { text += line(depth) }
                    text.append(character)
                    isInString = character == "\""
                }
            }
            if !character.isWhitespace { previous = character }
        }
        return text
    }

    private static func line(_ depth: Int) -> String { "\n" + String(repeating: "  ", count: depth) }

    /// JSON escapes the control characters of ASCII, but not those of later Unicode ranges.
    private static func visible(_ character: Character) -> String { Escaping.visible(String(character)) }
}
