/// One JSON value as text, known to be strictly valid.
///
/// It is what is passed on without being looked into: a forwarder takes the parameters and results of calls as `RawJSON`.
///
/// Two are equal when their texts are: two spellings of one value are different.
public struct RawJSON: Sendable, Equatable {
    /// The text in UTF-8, without white space around it.
    package let bytes: [UInt8]

    /// For text that a `JSONReader` has walked, or a `JSONWriter` has written.
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Takes a text from outside.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    public init(checking text: some Collection<UInt8>) throws(JSONError) {
        let text = Array(text)
        let range = try text.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(checking: bytes)
            let range = try reader.skipValue()
            try reader.end()
            return range
        }
        bytes = range.count == text.count ? text : Array(text[range])
    }

    /// Takes a text from outside.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    public init(checking text: String) throws(JSONError) {
        try self.init(checking: text.utf8)
    }

    /// Writes a value.
    public init<Value>(_ value: Value, as codec: Codec<Value>) {
        var writer = JSONWriter()
        codec.write(value, &writer)
        self.init(unchecked: writer.bytes)
    }

    /// Reads the whole value.
    /// - Parameters:
    ///   - attachments: what stands beside it.
    ///   - refusingUnknownMembers: for the parameters of a request; else unknown members are ignored.
    /// - Throws: `JSONError.mismatch` when it is not what the codec describes.
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

    /// The members of `object` in front of those of this one, which must be an object without members of these names.
    package func adding<Object>(_ object: Object, as codec: Codec<Object>) -> RawJSON {
        var sum = RawJSON(object, as: codec).bytes.dropLast()
        let rest = bytes.dropFirst()
        let isEmpty = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "}")
        if sum.count > 1, !isEmpty { sum.append(UInt8(ascii: ",")) }
        return RawJSON(unchecked: Array(sum + rest))
    }

    /// An object without members.
    public static let emptyObject = RawJSON(unchecked: Array("{}".utf8))
}

extension RawJSON: CustomStringConvertible {
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
