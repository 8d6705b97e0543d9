import CZlib
import Foundation

/// Raw bytes beside JSON, with a checksum that is made where the bytes come from and verified where they arrive.
///
/// On the wire: `{"$bytes":{"base64":"…","size":52311,"crc32":123}}`.
public struct Bytes: Sendable, Equatable {
    public let data: Data

    /// CRC-32 as in zlib.
    public let crc32: UInt32

    /// Takes bytes whose checksum is not known yet.
    public init(_ data: Data) {
        self.init(data, crc32: Self.checksum(of: data))
    }

    /// Takes bytes with the checksum that they were stored with, without looking at them.
    public init(_ data: Data, crc32: UInt32) {
        self.data = data
        self.crc32 = crc32
    }

    /// Whether the bytes are those that the checksum was made of.
    public var isIntact: Bool { Self.checksum(of: data) == crc32 }

    private static func checksum(of data: Data) -> UInt32 {
        data.withUnsafeBytes { bytes in
            UInt32(truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
        }
    }

    public static let shape = Shape<Bytes>.object { object in
        let encoded = object.required("$bytes", Encoded.shape, Encoded.init)
        return { members throws(JSONError) in try members[encoded].bytes }
    }
}

/// Bytes as text. A plain client may leave out what can be counted.
private struct Encoded: Sendable {
    let base64: String
    let size: Int?
    let crc32: Int?

    init(base64: String, size: Int?, crc32: Int?) {
        self.base64 = base64
        self.size = size
        self.crc32 = crc32
    }

    init(_ bytes: Bytes) {
        self.init(base64: bytes.data.base64EncodedString(), size: bytes.data.count, crc32: Int(bytes.crc32))
    }

    static let shape = Shape<Encoded>.object { object in
        let base64 = object.required("base64", .string, \.base64, "RFC 4648 §4, with padding.")
        let size = object.optional("size", .integer(0 ... .max), \.size, "How many bytes that are.")
        let crc32 = object.optional("crc32", .integer(0...Int(UInt32.max)), \.crc32, "Their CRC-32, as in zlib.")
        return { members throws(JSONError) in
            Encoded(base64: try members[base64], size: try members[size], crc32: try members[crc32])
        }
    }

    var bytes: Bytes {
        get throws(JSONError) {
            guard let data = Data(base64Encoded: base64) else { throw refused("base64", "is not valid base64") }
            let bytes = Bytes(data)
            if let size, size != data.count { throw refused("size", "must be \(data.count), is \(size)") }
            if let crc32, crc32 != Int(bytes.crc32) { throw refused("crc32", "must be \(bytes.crc32), is \(crc32)") }
            return bytes
        }
    }

    private func refused(_ member: String, _ reason: String) -> JSONError {
        .mismatch(path: "$bytes." + member, reason: reason)
    }
}
