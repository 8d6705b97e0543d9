/// A string in a JSON text as it stands there: the range between its quotes.
struct MemberName {
    var range = 0..<0
    var hasEscapes = false
}

extension JSONReader {
    func decode(_ name: MemberName) -> String {
        name.hasEscapes ? StringEscapes.decode(bytes[name.range]) : String(decoding: bytes[name.range], as: UTF8.self)
    }

    func isSame(_ a: MemberName, _ b: MemberName) -> Bool {
        if a.hasEscapes || b.hasEscapes { return decode(a).utf8.elementsEqual(decode(b).utf8) }
        return hasBytes(a, UnsafeBufferPointer(rebasing: bytes[b.range]))
    }

    /// - Parameter other: a literal of more than one character, which has its bytes in memory.
    @inline(__always)
    func matches(_ name: MemberName, _ other: StaticString) -> Bool {
        matches(name, UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    func matches(_ name: MemberName, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        name.hasEscapes ? decode(name).utf8.elementsEqual(other) : hasBytes(name, other)
    }

    private func hasBytes(_ name: MemberName, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.range.count == other.count else { return false }
        // Names are short: a loop is done before a call of `memcmp` has begun.
        for index in other.indices where bytes[name.range.lowerBound + index] != other[index] { return false }
        return true
    }
}

/// The names of the members of one object, for finding duplicates.
struct MemberNames {
    /// Objects have few members nearly always: these are compared with each other, and need no memory of their own.
    private var first = InlineArray<16, MemberName>(repeating: MemberName())
    private var count = 0
    private var others: Set<[UInt8]>?

    /// - Returns: false when the name is there already, however it is spelled.
    mutating func insert(_ name: MemberName, in text: JSONReader) -> Bool {
        for index in 0..<count where text.isSame(first[index], name) { return false }
        if count < first.count {
            first[count] = name
            count += 1
            return true
        }
        // Strings are equal where their characters are, JSON names only where their code points are.
        return others.insert(Array(text.decode(name).utf8))
    }
}

extension Set<[UInt8]>? {
    fileprivate mutating func insert(_ name: [UInt8]) -> Bool {
        var names = self ?? []
        self = nil
        defer { self = names }
        return names.insert(name).inserted
    }
}
