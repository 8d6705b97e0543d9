import Foundation

/// Bytes sent beside a message. `{"$bytes":{"attachment":0,…}}` in the message refers to the first attachment.
public struct Attachment: Sendable, Equatable {
    public let data: Data

    /// CRC-32 as in zlib; nil if not computed. A forwarder leaves that to the reader.
    let crc32: UInt32?

    init(_ data: Data, crc32: UInt32?) {
        self.data = data
        self.crc32 = crc32
    }
}
