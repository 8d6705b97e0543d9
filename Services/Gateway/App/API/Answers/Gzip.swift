import CZlib
import NIOCore

/// Compresses bodies with gzip (RFC 1952).
enum Gzip {
    /// A window of 32 KiB, plus 16 for a gzip header.
    private static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8

    /// For what is compressed once and sent often.
    static let bestLevel = Z_BEST_COMPRESSION

    /// - Returns: nil when zlib fails.
    static func compress(_ bytes: ByteBuffer, level: Int32 = Z_BEST_SPEED) -> ByteBuffer? {
        var stream = z_stream()
        var status = deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        // The size of the worst case, so that one call suffices.
        let bound = Int(deflateBound(&stream, uLong(bytes.readableBytes)))
        var compressed = ByteBuffer()
        bytes.withUnsafeReadableBytes { source in
            // zlib does not write through this pointer.
            stream.next_in = UnsafeMutablePointer(mutating: source.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(source.count)
            compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { target in
                stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(clamping: target.count)
                let room = Int(stream.avail_out)
                status = deflate(&stream, Z_FINISH)
                return room - Int(stream.avail_out)
            }
        }
        // Releases the unused part: most texts need much less than the worst case.
        compressed.shrinkBufferCapacity(to: compressed.readableBytes)
        return status == Z_STREAM_END ? compressed : nil
    }
}
