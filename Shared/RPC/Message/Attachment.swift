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
