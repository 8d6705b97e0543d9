import Foundation

/// Bytes that stand beside a message: `{"$bytes":{"attachment":0,…}}` in it points to the first of them.
public struct Attachment: Sendable, Equatable {
    public let data: Data

    /// CRC-32 as in zlib; nil when nobody has made it yet: who only passes bytes on leaves that to their reader.
    let crc32: UInt32?

    init(_ data: Data, crc32: UInt32?) {
        self.data = data
        self.crc32 = crc32
    }
}

/// A JSON value with the bytes that stand beside it: what a forwarder passes on without looking into it.
public struct Payload: Sendable, Equatable {
    public let json: RawJSON
    public let attachments: [Attachment]

    public init(_ json: RawJSON, attachments: [Attachment] = []) {
        self.json = json
        self.attachments = attachments
    }

    /// Reads the value.
    /// - Parameter refusingUnknownMembers: for the parameters of a request; else unknown members are ignored.
    /// - Throws: `JSONError.mismatch` when it does not have that shape.
    public func read<Value>(
        as shape: Shape<Value>, refusingUnknownMembers: Bool = false
    ) throws(JSONError) -> Value {
        try json.read(as: shape, attachments: attachments, refusingUnknownMembers: refusingUnknownMembers)
    }
}

extension Shape<Payload> {
    /// Any value, with all that stands beside it. Alone in its message: its attachments keep their places.
    public static let payload = Shape<Payload>(
        schema: Shape<RawJSON>.any.schema,
        read: { reader throws(JSONError) in
            let attachments = reader.attachments.map(Array.init) ?? []
            return Payload(try Shape<RawJSON>.any.read(&reader), attachments: attachments)
        },
        write: { payload, writer in
            writer.raw(payload.json)
            for attachment in payload.attachments { writer.attach(attachment) }
        })
}
