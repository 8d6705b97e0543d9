import JSON

/// A result to be written into the answer.
public struct Reply: Sendable {
    let write: @Sendable (inout JSONWriter) -> Void

    init<Value>(_ value: Value, as codec: Codec<Value>) {
        // Only the writer is captured: the whole codec would be retained otherwise.
        write = { [write = codec.write] in write(value, &$0) }
    }

    /// A result that is already encoded, as a forwarder has it.
    public init(_ value: Payload) {
        write = { Codec.payload.write(value, &$0) }
    }

    init(_ value: RawJSON) {
        write = { $0.raw(value) }
    }
}
