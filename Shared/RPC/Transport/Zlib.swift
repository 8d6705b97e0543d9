import CZlib
import NIOCore

/// Messages as zlib streams (RFC 1950).
enum Zlib {
    /// - Returns: nil when zlib fails.
    static func compress(_ bytes: ByteBuffer) -> ByteBuffer? {
        var length = compressBound(uLong(bytes.readableBytes))
        var status = Z_OK
        var compressed = ByteBuffer()
        compressed.writeWithUnsafeMutableBytes(minimumWritableBytes: Int(length)) { target in
            status = bytes.withUnsafeReadableBytes { source in
                compress2(
                    target.bindMemory(to: UInt8.self).baseAddress, &length,
                    source.bindMemory(to: UInt8.self).baseAddress, uLong(source.count), Z_BEST_SPEED)
            }
            return Int(length)
        }
        return status == Z_OK ? compressed : nil
    }

    /// Decompresses a whole stream, which must end with the last byte. Memory grows with the output, up to `limit`.
    /// - Throws: `tooLarge` above the limit, `parseError` for an invalid stream.
    static func decompress(_ bytes: ByteBuffer, limit: Int) throws(RPCError) -> ByteBuffer {
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .notZlib("it cannot be read")
        }
        defer { inflateEnd(&stream) }
        var text = ByteBuffer()
        var status = Z_OK
        bytes.withUnsafeReadableBytes { source in
            // zlib does not write through this pointer.
            stream.next_in = UnsafeMutablePointer(mutating: source.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(source.count)
            while status == Z_OK, text.readableBytes <= limit {
                text.writeWithUnsafeMutableBytes(minimumWritableBytes: chunk) { target in
                    stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
                    stream.avail_out = UInt32(clamping: target.count)
                    let room = Int(stream.avail_out)
                    status = inflate(&stream, Z_NO_FLUSH)
                    return room - Int(stream.avail_out)
                }
            }
        }
        if text.readableBytes > limit {
            throw RPCError(
                .tooLarge, "a compressed message has more than the limit of \(limit) bytes", begun: false)
        }
        guard status == Z_STREAM_END else { throw .notZlib("it is damaged or cut off") }
        guard stream.avail_in == 0 else { throw .notZlib("something follows its end") }
        return text
    }

    private static let chunk = 16 * 1_024
}

extension RPCError {
    fileprivate static func notZlib(_ reason: String) -> RPCError {
        RPCError(.parseError, "a compressed message is not a zlib stream: \(reason)", begun: false)
    }
}
