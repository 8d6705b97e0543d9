import JSON

/// A result that is ready to be written into the answer.
public struct Reply: Sendable {
    let write: @Sendable (inout JSONWriter) -> Void

    init<Value>(_ value: Value, as codec: Codec<Value>) {
        // Of a codec only what is needed: every part of it would be retained.
        write = { [write = codec.write] in write(value, &$0) }
    }

    /// A result that is JSON already, as a forwarder has it.
    public init(_ value: Payload) {
        write = { Codec.payload.write(value, &$0) }
    }

    init(_ value: RawJSON) {
        write = { $0.raw(value) }
    }
}
