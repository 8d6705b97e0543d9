/// A string in a JSON text as it stands there: the range between its quotes.
package struct MemberName {
    var range = 0..<0
    var hasEscapes = false
}

extension JSONReader {
    package func decode(_ name: MemberName) -> String {
        name.hasEscapes ? StringEscapes.decode(bytes[name.range]) : String(decoding: bytes[name.range], as: UTF8.self)
    }

    /// - Parameter other: a literal of more than one character, which has its bytes in memory.
    package func matches(_ name: MemberName, _ other: StaticString) -> Bool {
        matches(name, UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    func matches(_ name: MemberName, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.hasEscapes else { return hasBytes(name, other) }
        // A character is written with at most six: what cannot be the name is not decoded.
        guard (other.count...6 * other.count).contains(name.range.count) else { return false }
        return decode(name).utf8.elementsEqual(other)
    }

    fileprivate func hasBytes(_ name: MemberName, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.range.count == other.count else { return false }
        // Names are short: a loop is done before a call of `memcmp` has begun.
        for index in other.indices where bytes[name.range.lowerBound + index] != other[index] { return false }
        return true
    }
}

/// The names of the members of one object, for finding duplicates.
struct MemberNames {
    /// Nearly every object has few members, and names without escapes: these are compared in the text, one by one, and need
    /// no memory of their own.
    private var first = InlineArray<16, MemberName>(repeating: MemberName())
    private var count = 0

    /// All names of any other object. As bytes: strings are equal where their characters are, JSON names only where their
    /// code points are.
    private var decoded: Set<[UInt8]> = []

    /// - Returns: false when the name is there already, however it is spelled.
    mutating func insert(_ name: MemberName, in text: JSONReader) -> Bool {
        if decoded.isEmpty, count < first.count, !name.hasEscapes {
            let bytes = UnsafeBufferPointer(rebasing: text.bytes[name.range])
            for index in 0..<count where text.hasBytes(first[index], bytes) { return false }
            first[count] = name
            count += 1
            return true
        }
        if decoded.isEmpty { decoded.formUnion((0..<count).map { Array(text.decode(first[$0]).utf8) }) }
        return decoded.insert(Array(text.decode(name).utf8)).inserted
    }
}
