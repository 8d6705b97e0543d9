/// A string in a JSON text: the range between its quotes, not decoded.
package struct MemberName {
    var range = 0..<0
    var hasEscapes = false
}

extension JSONReader {
    package func decode(_ name: MemberName) -> String { decode(name, atMost: .max) }

    /// Decodes only the beginning of a long string: `count` encoded bytes, or a few less.
    package func decode(_ name: MemberName, atMost count: Int) -> String {
        let text = UnsafeBufferPointer(rebasing: bytes[name.range])
        let start = text.count <= count ? text : UnsafeBufferPointer(rebasing: text[..<beginning(of: text, count)])
        return name.hasEscapes ? StringEscapes.decode(start) : String(decoding: start, as: UTF8.self)
    }

    /// Returns where the last escape or character that begins before `count` begins, so that none is cut.
    private func beginning(of text: UnsafeBufferPointer<UInt8>, _ count: Int) -> Int {
        var position = 0
        while true {
            let next: Int
            switch text[position] {
            case UInt8(ascii: "\\"): next = position + (StringEscapes.length(in: text, at: position) ?? text.count)
            case 0..<0x80: next = position + 1
            default: next = position + (UTF8Sequence.length(text[position...]) ?? text.count)
            }
            if next > count { return position }
            position = next
        }
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

    /// All names of any other object, by the hash of what they decode to. Where another name has the hash, the next free
    /// number takes its place.
    private var hashed: [Int: MemberName] = [:]

    /// - Returns: false for a duplicate name, even in another spelling.
    mutating func insert(_ name: MemberName, in text: JSONReader) -> Bool {
        if hashed.isEmpty, count < first.count, !name.hasEscapes {
            let bytes = UnsafeBufferPointer(rebasing: text.bytes[name.range])
            for index in 0..<count where text.hasBytes(first[index], bytes) { return false }
            first[count] = name
            count += 1
            return true
        }
        if hashed.isEmpty { for index in 0..<count { _ = insertHashed(first[index], in: text) } }
        return insertHashed(name, in: text)
    }

    private mutating func insertHashed(_ name: MemberName, in text: JSONReader) -> Bool {
        var hash = text.withDecoded(name) { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            return hasher.finalize()
        }
        while let other = hashed[hash] {
            // As bytes: Swift strings compare by canonical equivalence, JSON names by code points.
            let isSame = text.withDecoded(name) { name in text.withDecoded(other) { $0.elementsEqual(name) } }
            if isSame { return false }
            hash &+= 1
        }
        hashed[hash] = name
        return true
    }
}

extension JSONReader {
    /// - Parameter body: gets the decoded name in UTF-8.
    fileprivate func withDecoded<Result>(
        _ name: MemberName, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let bytes = UnsafeBufferPointer(rebasing: bytes[name.range])
        guard name.hasEscapes else { return body(bytes) }
        return Array(StringEscapes.decode(bytes).utf8).withUnsafeBufferPointer(body)
    }
}
