import NIOCore

/// One JSON value as text, known to be strictly valid.
///
/// It is what is passed on without being looked into: a forwarder takes the parameters and results of calls as `RawJSON`.
public struct RawJSON: Sendable {
    /// The text, without white space around it.
    package let text: ByteBuffer

    /// For text that a `JSONReader` has walked, or a `JSONWriter` has written.
    init(unchecked text: ByteBuffer) { self.text = text }

    /// Takes a text from outside.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    public init(checking text: ByteBuffer) throws(JSONError) {
        let range = try text.check { reader throws(JSONError) in
            let range = try reader.skipValue()
            try reader.end()
            return range
        }
        self.text = text.slice(range)
    }

    /// Takes a text from outside.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    public init(checking text: String) throws(JSONError) {
        try self.init(checking: ByteBuffer(string: text))
    }

    /// Writes a value.
    public init<Value>(_ value: Value, as shape: Shape<Value>) {
        var writer = JSONWriter()
        shape.write(value, &writer)
        self.init(unchecked: ByteBuffer(bytes: writer.bytes))
    }

    /// Reads the whole value.
    /// - Parameters:
    ///   - attachments: what stands beside it.
    ///   - refusingUnknownMembers: for the parameters of a request; else unknown members are ignored.
    /// - Throws: `JSONError.mismatch` when it does not have that shape.
    public func read<Value>(
        as shape: Shape<Value>, attachments: [Attachment] = [], refusingUnknownMembers: Bool = false
    ) throws(JSONError) -> Value {
        guard !attachments.isEmpty else {
            return try read(as: shape, beside: nil, refusingUnknownMembers: refusingUnknownMembers)
        }
        return try attachments.withUnsafeBufferPointer { attachments throws(JSONError) in
            try read(as: shape, beside: attachments, refusingUnknownMembers: refusingUnknownMembers)
        }
    }

    private func read<Value>(
        as shape: Shape<Value>, beside attachments: UnsafeBufferPointer<Attachment>?, refusingUnknownMembers: Bool
    ) throws(JSONError) -> Value {
        try text.withUnsafeReadableBytes { raw throws(JSONError) in
            var reader = JSONReader(
                trusting: raw.bindMemory(to: UInt8.self), refusesUnknownMembers: refusingUnknownMembers,
                attachments: attachments)
            return try shape.read(&reader)
        }
    }

    /// The members of `object` in front of those of this one, which must be an object without members of these names.
    package func adding<Object>(_ object: Object, as shape: Shape<Object>) -> RawJSON {
        let front = RawJSON(object, as: shape).text.readableBytesView.dropLast()
        let rest = text.readableBytesView.dropFirst()
        let isEmpty = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "}")
        var sum = ByteBuffer(bytes: front)
        if front.count > 1, !isEmpty { sum.writeInteger(UInt8(ascii: ",")) }
        sum.writeBytes(rest)
        return RawJSON(unchecked: sum)
    }

    /// An object without members.
    public static let emptyObject = RawJSON(unchecked: ByteBuffer(string: "{}"))
}

extension RawJSON: Equatable {
    /// By text: two spellings of one value are different.
    public static func == (a: RawJSON, b: RawJSON) -> Bool { a.text == b.text }
}

extension RawJSON: CustomStringConvertible {
    public var description: String { String(buffer: text) }
}

extension ByteBuffer {
    /// Lets `body` walk the readable bytes as JSON, which checks them. Positions count from the first readable byte.
    func check<Result>(_ body: (inout JSONReader) throws(JSONError) -> Result) throws(JSONError) -> Result {
        try withUnsafeReadableBytes { raw throws(JSONError) in
            var reader = JSONReader(checking: raw.bindMemory(to: UInt8.self))
            return try body(&reader)
        }
    }

    /// The bytes at `range`, which counts from the first readable byte and lies within the readable bytes.
    func slice(_ range: Range<Int>) -> ByteBuffer {
        var slice = self
        slice.moveReaderIndex(forwardBy: range.lowerBound)
        slice.moveWriterIndex(to: slice.readerIndex + range.count)
        return slice
    }
}
