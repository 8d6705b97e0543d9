import CZlib
import Foundation

/// Inflates a body as it arrives, up to a limit. Runs on the event loop.
final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let limit: Int
    private(set) var output = Data()
    private var isRaw: Bool?
    private var isComplete = false

    /// zlib's `windowBits` for the largest window, with a zlib header, a gzip header, or none.
    private static let window: Int32 = 15
    private static let gzipWindow = window + 16
    private static let rawWindow = -window

    private static let chunk = 16 * 1_024

    init(_ coding: ContentCoding, limit: Int) throws(UpstreamError) {
        self.limit = limit
        // Allocated at a stable address, because zlib stores the pointer.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        if coding == .gzip {
            isRaw = false
            try begin(window: Self.gzipWindow)
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    private func begin(window: Int32) throws(UpstreamError) {
        guard inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .malformed("its compressed body cannot be read")
        }
    }

    /// - Throws: `tooLarge` above the limit, `malformed` if the bytes do not have the declared coding.
    func append(_ bytes: UnsafeRawBufferPointer) throws(UpstreamError) {
        guard let first = bytes.first else { return }
        guard !isComplete else { throw .malformed("data follows the end of its compressed body") }
        if isRaw == nil {
            // "deflate" means a zlib stream, but some servers omit its header. The low half of the header's first byte is 8.
            isRaw = first & 0xF != 8
            try begin(window: isRaw == true ? Self.rawWindow : Self.window)
        }
        // zlib does not write through this pointer.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: bytes.count)
        defer { stream.pointee.next_in = nil }
        var isOutputFull = false
        while stream.pointee.avail_in > 0 || isOutputFull, !isComplete { isOutputFull = try inflateSome() }
        guard stream.pointee.avail_in == 0 else { throw .malformed("data follows the end of its compressed body") }
    }

    /// - Returns: whether the input may produce more output.
    private func inflateSome() throws(UpstreamError) -> Bool {
        // One byte above the limit, to detect that it is exceeded.
        let roomLeft = limit - output.count
        let room = min(Self.chunk, roomLeft + 1)
        var status = Z_OK
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { target in
            stream.pointee.next_out = target.baseAddress
            stream.pointee.avail_out = UInt32(room)
            status = inflate(stream, Z_NO_FLUSH)
            stream.pointee.next_out = nil
            let count = room - Int(stream.pointee.avail_out)
            output.append(contentsOf: target.prefix(min(count, roomLeft)))
            return count
        }
        guard count <= roomLeft else { throw .tooLarge(.inflatedBody, limit: limit) }
        // Z_BUF_ERROR: zlib needs more input.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .malformed("its compressed body is damaged")
        }
        isComplete = status == Z_STREAM_END
        return count == room
    }

    /// - Throws: `malformed` when the end is missing.
    func finish() throws(UpstreamError) {
        guard isComplete else { throw .malformed("its compressed body has no end") }
    }
}
