/// One JSON value as text that is known to be valid.
///
/// Used for values that are passed on without decoding, such as parameters and results in a forwarder.
///
/// Values are equal when their texts are: two spellings of one value are different.
public struct RawJSON: Sendable, Equatable {
    /// The text in UTF-8, without white space around it.
    package let bytes: [UInt8]

    /// Takes text that a `JSONReader` has validated or a `JSONWriter` has written.
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Validates an untrusted text.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    public init(checking text: some Collection<UInt8>) throws(JSONError) {
        try self.init(checking: Array(text), allowsDuplicates: false)
    }

    /// Reads a file that other programs have written: a byte order mark is ignored, of a doubled member the last value
    /// counts, a lone surrogate or U+0000 counts as U+FFFD, a control character in a string as a space, and a value that is
    /// nested too deep as an empty string.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    package init(lenient text: some Collection<UInt8>) throws(JSONError) {
        var text = Array(text.withoutByteOrderMark)
        StringEscapes.replaceNonCharacters(in: &text)
        LenientText.mend(&text)
        try self.init(checking: text, allowsDuplicates: true)
    }

    /// Validates a text in which of a doubled member the last value counts.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    package init(allowingDuplicates text: some Collection<UInt8>) throws(JSONError) {
        try self.init(checking: Array(text), allowsDuplicates: true)
    }

    private init(checking text: [UInt8], allowsDuplicates: Bool) throws(JSONError) {
        let range = try text.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(checking: bytes, allowsDuplicates: allowsDuplicates)
            let range = try reader.skipValue()
            try reader.end()
            return range
        }
        bytes = range.count == text.count ? text : Array(text[range])
    }

    /// Validates an untrusted text.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    public init(checking text: String) throws(JSONError) {
        try self.init(checking: text.utf8)
    }

    /// Encodes a value.
    public init<Value>(_ value: Value, as codec: Codec<Value>) {
        var writer = JSONWriter()
        codec.write(value, &writer)
        self.init(unchecked: writer.bytes)
    }

    /// Decodes the whole value.
    /// - Parameters:
    ///   - attachments: the attachments of the text.
    ///   - refusingUnknownMembers: true for the parameters of a request; otherwise unknown members are ignored.
    /// - Throws: `JSONError.mismatch` when the value does not match the codec.
    public func read<Value>(
        as codec: Codec<Value>, attachments: [any Sendable] = [], refusingUnknownMembers: Bool = false
    ) throws(JSONError) -> Value {
        guard !attachments.isEmpty else {
            return try read(as: codec, beside: nil, refusingUnknownMembers: refusingUnknownMembers)
        }
        return try attachments.withUnsafeBufferPointer { attachments throws(JSONError) in
            try read(as: codec, beside: attachments, refusingUnknownMembers: refusingUnknownMembers)
        }
    }

    private func read<Value>(
        as codec: Codec<Value>, beside attachments: UnsafeBufferPointer<any Sendable>?, refusingUnknownMembers: Bool
    ) throws(JSONError) -> Value {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(
                trusting: bytes, refusesUnknownMembers: refusingUnknownMembers, attachments: attachments)
            return try codec.read(&reader)
        }
    }

    /// Returns this object with the members of `object` in front. It must be an object without members of the same
    /// names.
    package func adding<Object>(_ object: Object, as codec: Codec<Object>) -> RawJSON {
        var sum = RawJSON(object, as: codec).bytes.dropLast()
        let rest = bytes.dropFirst()
        let isEmpty = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "}")
        if sum.count > 1, !isEmpty { sum.append(UInt8(ascii: ",")) }
        return RawJSON(unchecked: Array(sum + rest))
    }

    /// `{}`.
    public static let emptyObject = RawJSON(unchecked: Array("{}".utf8))
}

extension RawJSON: CustomStringConvertible {
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Collection<UInt8> {
    /// The text without the mark that some editors write at the beginning of a file in UTF-8.
    package var withoutByteOrderMark: SubSequence { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}
