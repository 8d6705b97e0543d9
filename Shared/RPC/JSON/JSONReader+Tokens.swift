// The tokens of JSON, byte by byte.

extension JSONReader {
    mutating func scanLiteral() throws(JSONError) {
        for literal in Self.literals where bytes[position...].starts(with: literal) {
            position += literal.count
            return
        }
        throw syntax("only true, false and null may stand without quotes")
    }

    private static let literals = [Array("true".utf8), Array("false".utf8), Array("null".utf8)]

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
        return (start..<position, isInteger)
    }

    private mutating func scanDigits() throws(JSONError) {
        let start = position
        while let digit = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) { position += 1 }
        if position == start { throw syntax("a digit should be here") }
    }

    /// Checks the string that begins here and steps over it.
    mutating func scanString() throws(JSONError) -> MemberName {
        position += 1
        let start = position
        var hasEscapes = false
        while true {
            position = PlainASCII.end(in: bytes, from: position)
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                return MemberName(range: start..<position - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                guard let length = StringEscapes.length(bytes[position...]) else {
                    throw syntax("this is no valid escape (surrogates come in pairs)")
                }
                position += length
            case nil: throw syntax("the text ends inside a string")
            case let control? where control < 0x20: throw syntax("control characters in strings must be escaped")
            default:
                guard let length = UTF8Sequence.length(bytes[position...]) else { throw syntax("this is not UTF-8") }
                position += length
            }
        }
    }
}
