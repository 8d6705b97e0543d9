// The tokens of JSON.

extension JSONReader {
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips white space. Programs write none, so the first comparison is nearly always the last.
    @inline(__always)
    mutating func skipWhitespace() {
        while position < bytes.count, bytes[position] <= 0x20 {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    mutating func scanLiteral() throws(JSONError) {
        for literal in ["true", "false", "null"] as [StaticString] {
            let isHere = literal.withUTF8Buffer { bytes[position...].starts(with: $0) }
            if isHere {
                position += literal.utf8CodeUnitCount
                return
            }
        }
        throw syntax("only true, false and null may be unquoted")
    }

    mutating func scanNumber() throws(JSONError) -> (Range<Int>, isInteger: Bool) {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try scanDigits()
        }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try scanDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try scanDigits()
        }
        if let next = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
            throw syntax("a number cannot begin with a zero")
        }
        guard position - start <= Self.longestNumber else {
            throw syntax("a number is longer than \(Self.longestNumber) bytes")
        }
        return (start..<position, isInteger)
    }

    private mutating func scanDigits() throws(JSONError) {
        let start = position
        while let digit = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { position += 1 }
        if position == start { throw syntax("a digit is expected") }
    }

    /// Skips the string at the current position. It is validated unless the text is trusted.
    mutating func scanString() throws(JSONError) -> MemberName {
        position += 1
        let start = position
        var hasEscapes = false
        while true {
            position =
                isTrusting
                ? StringBytes.endOfUnescaped(in: bytes, from: position)
                : StringBytes.endOfPlain(in: bytes, from: position)
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return MemberName(range: start..<position - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard let length = StringEscapes.length(in: bytes, at: position) else {
                    throw syntax("invalid escape (surrogates come in pairs)")
                }
                position += length
            case nil: throw syntax("the text ends inside a string")
            case let control? where control < 0x20: throw syntax("control characters in strings must be escaped")
            default:
                guard let length = UTF8Sequence.length(bytes[position...]) else { throw syntax("invalid UTF-8") }
                position += length
            }
        }
    }

    /// Skips the array or object at the current position of a trusted text: its brackets are balanced.
    mutating func scanBrackets() throws(JSONError) {
        var depth = 0
        repeat {
            switch current {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                _ = try scanString()
                continue
            case nil: throw syntax("the text ends inside an array or object")
            default: break
            }
            position += 1
        } while depth > 0
    }

    func syntax(_ reason: String) -> JSONError { .syntax(reason: reason, offset: position) }
}
