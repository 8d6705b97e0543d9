import CZlib
import Foundation
import NIOCore

/// CRC-32 as in zlib, computed incrementally.
struct Checksum {
    private(set) var crc32: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        crc32 = UInt32(
            truncatingIfNeeded: crc32_z(uLong(crc32), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }

    static func of(_ data: Data) -> UInt32 {
        var checksum = Checksum()
        data.withUnsafeBytes { checksum.add($0) }
        return checksum.crc32
    }
}
