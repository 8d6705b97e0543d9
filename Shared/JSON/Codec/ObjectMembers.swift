/// A handle for one declared member; the subscript of `ObjectMembers` takes it.
public struct ObjectMember<Value: Sendable>: Sendable {
    package let name: String
    let index: Int
    let absent: @Sendable () throws(JSONError) -> Value
    let read: @Sendable (inout JSONReader) throws(JSONError) -> Value
}

/// The members of one object while it is read: located, but not decoded.
public struct ObjectMembers {
    /// The maximum number of members that a codec may declare.
    static let maximumCount = 24

    private let reader: JSONReader
    private var offsets = InlineArray<24, Int>(repeating: -1)

    init(reading reader: inout JSONReader, names: DeclaredNames) throws(JSONError) {
        var object = try reader.beginObject()
        var expected = 0
        while let name = try reader.nextMember(of: &object) {
            if let index = names.index(of: name, in: reader, expecting: expected) {
                offsets[index] = try reader.skipValue().lowerBound
                expected = index + 1
            } else if reader.refusesUnknownMembers, name.range.lowerBound != reader.tagPosition {
                throw .mismatch(
                    path: reader.decode(name, atMost: JSONError.longestName), reason: "is not a known member")
            } else {
                try reader.skipValue()
            }
        }
        self.reader = reader
    }

    /// Decodes the value of a member.
    public subscript<Value>(_ member: ObjectMember<Value>) -> Value {
        get throws(JSONError) {
            do throws(JSONError) {
                guard offsets[member.index] >= 0 else { return try member.absent() }
                var reader = reader
                reader.position = offsets[member.index]
                return try member.read(&reader)
            } catch {
                throw error.inside(member.name)
            }
        }
    }
}

/// The member names of an object codec, concatenated in one array.
struct DeclaredNames: Sendable {
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]

    init(_ names: [String]) {
        var bytes: [UInt8] = []
        ranges = names.map { name in
            let start = bytes.count
            bytes += name.utf8
            return start..<bytes.count
        }
        self.bytes = bytes
    }

    /// Returns the index of the declared name. Members are mostly in the order of their declaration, so `expected` is
    /// tried first.
    func index(of name: MemberName, in text: JSONReader, expecting expected: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            let isName = { index in text.matches(name, UnsafeBufferPointer(rebasing: bytes[ranges[index]])) }
            return expected < ranges.count && isName(expected) ? expected : ranges.indices.first(where: isName)
        }
    }
}
