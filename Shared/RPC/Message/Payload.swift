import JSON

/// A JSON value with the bytes that stand beside it: what a forwarder passes on without looking into it.
public struct Payload: Sendable, Equatable {
    public let json: RawJSON
    public let attachments: [Attachment]

    public init(_ json: RawJSON, attachments: [Attachment] = []) {
        self.json = json
        self.attachments = attachments
    }

    /// Encodes a value, with its bytes beside it.
    init<Value>(_ value: Value, as codec: Codec<Value>) {
        self = withUnsafeTemporaryAllocation(byteCount: Self.usualBytes, alignment: 1) { memory in
            var writer = JSONWriter(in: memory, takesAttachments: true)
            codec.write(value, &writer)
            return Payload(
                RawJSON(unchecked: writer.bytes),
                attachments: writer.attachments?.compactMap { $0 as? Attachment } ?? [])
        }
    }

    /// The parameters of most calls fit into so many bytes.
    private static let usualBytes = 256

    func write(to writer: inout JSONWriter) {
        guard writer.attachments != nil else { return writer.raw(inlined) }
        writer.raw(json)
        for attachment in attachments { writer.attach(attachment) }
    }

    /// Reads the value.
    /// - Parameter refusingUnknownMembers: for the parameters of a request; else unknown members are ignored.
    /// - Throws: `JSONError.mismatch` when it is not what the codec describes.
    public func read<Value>(
        as codec: Codec<Value>, refusingUnknownMembers: Bool = false
    ) throws(JSONError) -> Value {
        try json.read(as: codec, attachments: attachments, refusingUnknownMembers: refusingUnknownMembers)
    }

    /// The same value with its bytes in the text, for who takes none beside it. Bytes that are not what they are said to be
    /// stay as they are: their reader will say what is wrong with them.
    var inlined: RawJSON {
        guard !attachments.isEmpty, let bytes = try? read(as: Self.bytes) else { return json }
        var text: [UInt8] = []
        var copied = 0
        for (range, value) in bytes {
            text += json.bytes[copied..<range.lowerBound]
            text += RawJSON(value, as: Bytes.codec).bytes
            copied = range.upperBound
        }
        text += json.bytes[copied...]
        return RawJSON(unchecked: text)
    }

    /// Where bytes are in a value.
    private static let bytes = Codec<[(Range<Int>, Bytes)]>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            var references = References()
            try find(&references, &reader)
            return references.found
        },
        write: { _, _ in })

    /// The attachments that a value points to, each once: one could be pointed to any number of times.
    private struct References {
        var found: [(Range<Int>, Bytes)] = []
        var seen: Set<Int> = []
    }

    private static func find(_ references: inout References, _ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            let start = reader
            var object = try reader.beginObject()
            while let name = try reader.nextMember(of: &object) {
                if reader.matches(name, "$bytes") {
                    guard let index = try Bytes.attachment(&reader) else { continue }
                    guard references.seen.insert(index).inserted else { throw .refused("stands there twice") }
                    reader = start
                    let bytes = try Bytes.codec.read(&reader)
                    return references.found.append((start.position..<reader.position, bytes))
                }
                try find(&references, &reader)
            }
        case .array:
            var array = try reader.beginArray()
            while try reader.nextElement(of: &array) { try find(&references, &reader) }
        case .string, .number, .literal: try reader.skipValue()
        }
    }
}

extension Codec<Payload> {
    /// Any value, with all that stands beside it. Alone in its message: its attachments keep their places.
    public static let payload = Codec<Payload>(
        schema: Codec<RawJSON>.any.schema,
        read: { reader throws(JSONError) in
            let attachments = reader.attachments?.compactMap { $0 as? Attachment } ?? []
            return Payload(try Codec<RawJSON>.any.read(&reader), attachments: attachments)
        },
        write: { $0.write(to: &$1) })
}
