extension JSONReader {
    package mutating func string() throws(JSONError) -> String {
        guard try peek() == .string else { throw .refused("must be a string") }
        return decode(try scanString())
    }

    /// Reads a string without allocating one: `body` receives its UTF-8.
    mutating func string<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        guard try peek() == .string else { throw .refused("must be a string") }
        let string = try scanString()
        if !string.hasEscapes { return try body(UnsafeBufferPointer(rebasing: bytes[string.range])) }
        // `withUnsafeBufferPointer` does not rethrow typed errors, so the error is returned as a `Result`.
        let result: Swift.Result<Result, JSONError> = Array(decode(string).utf8).withUnsafeBufferPointer { utf8 in
            do throws(JSONError) {
                return .success(try body(utf8))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Skips a value.
    /// - Returns: the value if it is a string, to be decoded or compared later; else nil.
    package mutating func skipString() throws(JSONError) -> MemberName? {
        if case .string = try peek() { return try scanString() }
        try skipValue()
        return nil
    }

    /// Reads an exact integer within 64 bits; `1.0` and `1e2` are accepted.
    package mutating func integer() throws(JSONError) -> Int {
        guard try peek() == .number else { throw .refused("must be an integer") }
        let (range, isInteger) = try scanNumber()
        let digits = UnsafeBufferPointer(rebasing: bytes[range])
        if isInteger, let value = WholeNumber.parse(digits: digits) { return value }
        let text = String(decoding: digits, as: UTF8.self)
        if !isInteger, let value = WholeNumber.parse(text) { return value }
        throw .refused("must be an integer within 64 bits, is \(text.prefix(40))")
    }

    /// Reads a number, rounded to the nearest `Double`.
    package mutating func number() throws(JSONError) -> Double {
        guard try peek() == .number else { throw .refused("must be a number") }
        let text = String(decoding: bytes[try scanNumber().0], as: UTF8.self)
        // The text is a valid JSON number, so only overflow can fail.
        guard let value = Double(text), value.isFinite else {
            throw .refused("must be a number within the range of a Double, is \(text.prefix(40))")
        }
        return value
    }

    package mutating func boolean() throws(JSONError) -> Bool {
        guard try peek() == .literal, bytes[position] != UInt8(ascii: "n") else {
            throw .refused("must be true or false")
        }
        let isTrue = bytes[position] == UInt8(ascii: "t")
        try scanLiteral()
        return isTrue
    }

    /// Consumes a `null` if it is the next value.
    package mutating func null() throws(JSONError) -> Bool {
        guard try peek() == .literal, bytes[position] == UInt8(ascii: "n") else { return false }
        try scanLiteral()
        return true
    }
}
