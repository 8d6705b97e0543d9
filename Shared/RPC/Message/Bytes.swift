import Foundation
import JSON

/// Raw bytes in a JSON value, with a checksum that is computed at their source and verified by their reader.
///
/// On the wire: `{"$bytes":{"attachment":0,"size":52311,"crc32":123}}` if attachments were negotiated and the receiver
/// accepts them for this message, else `{"$bytes":{"base64":"…","size":52311,"crc32":123}}`.
public struct Bytes: Sendable, Equatable {
    public let data: Data

    /// CRC-32 as in zlib.
    public let crc32: UInt32

    /// Computes the checksum.
    public init(_ data: Data) {
        self.init(data, crc32: Checksum.of(data))
    }

    /// Takes bytes with their stored checksum, without verifying it.
    public init(_ data: Data, crc32: UInt32) {
        self.data = data
        self.crc32 = crc32
    }

    /// Whether the bytes match their checksum.
    public var isIntact: Bool { Checksum.of(data) == crc32 }

    public static let codec = Codec<Bytes>(
        schema: wire.schema,
        read: { reader throws(JSONError) in
            let attachments = reader.attachments
            let encoded = try wire.read(&reader)
            do throws(JSONError) {
                return try encoded.bytes(attachments)
            } catch {
                throw error.inside("$bytes")
            }
        },
        write: { bytes, writer in
            let index = writer.attach(Attachment(bytes.data, crc32: bytes.crc32))
            wire.write(Encoded(bytes, attachment: index), &writer)
        })

    /// The index of the attachment that a `$bytes` value refers to; nil when its bytes are in the text.
    static func attachment(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        try Encoded.codec.read(&reader).attachment
    }

    private static let wire = Codec<Encoded>.object { object in
        let encoded = object.required("$bytes", Encoded.codec) { $0 }
        return { members throws(JSONError) in try members[encoded] }
    }
}

/// The content of a `$bytes` value. Size and checksum are optional for plain clients.
private struct Encoded: Sendable {
    let base64: String?
    let attachment: Int?
    let size: Int?
    let crc32: Int?

    init(base64: String?, attachment: Int?, size: Int?, crc32: Int?) {
        self.base64 = base64
        self.attachment = attachment
        self.size = size
        self.crc32 = crc32
    }

    /// - Parameter attachment: nil when the bytes must be in the text.
    init(_ bytes: Bytes, attachment: Int?) {
        self.init(
            base64: attachment == nil ? bytes.data.base64EncodedString() : nil, attachment: attachment,
            size: bytes.data.count, crc32: Int(bytes.crc32))
    }

    static let codec = Codec<Encoded>.object { object in
        let base64 = object.optional("base64", .string, \.base64, "RFC 4648 §4, with padding; this or attachment.")
        let attachment = object.optional(
            "attachment", .integer(0 ... .max), \.attachment, "Which of the envelope's attachments, counted from 0.")
        let size = object.optional("size", .integer(0 ... .max), \.size, "How many bytes that are.")
        let crc32 = object.optional("crc32", .integer(0...Int(UInt32.max)), \.crc32, "Their CRC-32, as in zlib.")
        return { members throws(JSONError) in
            Encoded(
                base64: try members[base64], attachment: try members[attachment], size: try members[size],
                crc32: try members[crc32])
        }
    }

    func bytes(_ attachments: UnsafeBufferPointer<any Sendable>?) throws(JSONError) -> Bytes {
        let bytes: Bytes
        switch (base64, attachment) {
        case (let base64?, nil):
            guard let data = Data(base64Encoded: base64) else { throw refused("base64", "is not valid base64") }
            bytes = Bytes(data)
        case (nil, let index?):
            guard let attachments, attachments.indices.contains(index),
                let attachment = attachments[index] as? Attachment
            else {
                throw refused("attachment", "must be one of \(attachments?.count ?? 0) attachments, is \(index)")
            }
            bytes = attachment.crc32.map { Bytes(attachment.data, crc32: $0) } ?? Bytes(attachment.data)
        default: throw .refused("must have either base64 or attachment")
        }
        if let size, size != bytes.data.count { throw refused("size", "must be \(bytes.data.count), is \(size)") }
        if let crc32, crc32 != Int(bytes.crc32) { throw refused("crc32", "must be \(bytes.crc32), is \(crc32)") }
        return bytes
    }

    private func refused(_ member: String, _ reason: String) -> JSONError { .mismatch(path: member, reason: reason) }
}
