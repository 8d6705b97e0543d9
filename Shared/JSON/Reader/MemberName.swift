/// A string in a JSON text: the range between its quotes, not decoded.
package struct MemberName {
    var range = 0..<0
    var hasEscapes = false
}

extension JSONReader {
    package func decode(_ name: MemberName) -> String {
        name.hasEscapes ? StringEscapes.decode(bytes[name.range]) : String(decoding: bytes[name.range], as: UTF8.self)
    }

    /// - Parameter other: a literal of more than one character, which is stored in memory.
    package func matches(_ name: MemberName, _ other: StaticString) -> Bool {
        matches(name, UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    func matches(_ name: MemberName, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.hasEscapes else { return hasBytes(name, other) }
        // An escaped character takes at most six bytes, so a string of another length cannot match.
        guard (other.count...6 * other.count).contains(name.range.count) else { return false }
        return decode(name).utf8.elementsEqual(other)
    }

    fileprivate func hasBytes(_ name: MemberName, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.range.count == other.count else { return false }
        // Names are short: this loop is faster than a call of `memcmp`.
        for index in other.indices where bytes[name.range.lowerBound + index] != other[index] { return false }
        return true
    }
}

/// The member names of one object, to detect duplicates.
struct MemberNames {
    /// Nearly every object has few members whose names have no escapes. These names are compared in the text, without
    /// an allocation.
    private var first = InlineArray<16, MemberName>(repeating: MemberName())
    private var count = 0

    /// All names of any other object. As bytes: Swift strings compare by canonical equivalence, JSON names by code
    /// points.
    private var decoded: Set<[UInt8]> = []

    /// - Returns: false for a duplicate name, even in another spelling.
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
