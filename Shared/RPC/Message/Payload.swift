import JSON

/// A JSON value with its attachments, which a forwarder passes on without decoding.
public struct Payload: Sendable, Equatable {
    public let json: RawJSON
    public let attachments: [Attachment]

    public init(_ json: RawJSON, attachments: [Attachment] = []) {
        self.json = json
        self.attachments = attachments
    }

    /// Encodes a value; its bytes become attachments.
    init<Value>(_ value: Value, as codec: Codec<Value>) {
        self = withUnsafeTemporaryAllocation(byteCount: Self.usualBytes, alignment: 1) { memory in
            var writer = JSONWriter(in: memory, takesAttachments: true)
            codec.write(value, &writer)
            return Payload(
                RawJSON(unchecked: writer.bytes),
                attachments: writer.attachments?.compactMap { $0 as? Attachment } ?? [])
        }
    }

    /// Large enough for the parameters of most calls.
    private static let usualBytes = 256

    func write(to writer: inout JSONWriter) {
        guard writer.attachments != nil else { return writer.raw(inlined) }
        writer.raw(json)
        for attachment in attachments { writer.attach(attachment) }
    }

    /// Decodes the value.
    /// - Parameter refusingUnknownMembers: true for the parameters of a request; otherwise unknown members are ignored.
    /// - Throws: `JSONError.mismatch` when it does not match the codec.
    public func read<Value>(
        as codec: Codec<Value>, refusingUnknownMembers: Bool = false
    ) throws(JSONError) -> Value {
        try json.read(as: codec, attachments: attachments, refusingUnknownMembers: refusingUnknownMembers)
    }

    /// How many bytes it counts against a budget.
    var heldBytes: Int { attachments.reduce(json.heldBytes) { $0 + $1.data.count } }

    /// Whether the value is decoded on another thread.
    var isLarge: Bool { json.isLarge }

    /// As `read`; a large value is decoded on another thread.
    nonisolated(nonsending) func readBeside<Value: Sendable>(
        as codec: Codec<Value>, refusingUnknownMembers: Bool = false
    ) async throws(JSONError) -> Value {
        guard isLarge else { return try read(as: codec, refusingUnknownMembers: refusingUnknownMembers) }
        return try await LoopExecutor.beside {
            Result { () throws(JSONError) in try read(as: codec, refusingUnknownMembers: refusingUnknownMembers) }
        }.get()
    }

    /// The same value with its bytes inline, for a receiver that takes no attachments. Invalid references to bytes stay
    /// unchanged: their reader will report what is wrong.
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

    /// Locates the `$bytes` values in a value.
    private static let bytes = Codec<[(Range<Int>, Bytes)]>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            var references = References()
            try find(&references, &reader)
            return references.found
        },
        write: { _, _ in })

    /// Tracks the attachments that a value refers to. Each may be referred to once; more references would multiply its
    /// size.
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
                    guard references.seen.insert(index).inserted else { throw .refused("is referred to twice") }
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
    /// Any value with its attachments. It must be the only one in its message, so that attachment numbers stay valid.
    public static let payload = Codec<Payload>(
        schema: Codec<RawJSON>.any.schema,
        read: { reader throws(JSONError) in
            let attachments = reader.attachments?.compactMap { $0 as? Attachment } ?? []
            return Payload(try Codec<RawJSON>.any.read(&reader), attachments: attachments)
        },
        write: { $0.write(to: &$1) })
}
