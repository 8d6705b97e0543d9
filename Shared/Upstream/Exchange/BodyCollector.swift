import Foundation
import NIOCore

/// Collects a body up to a limit. It allocates memory for received bytes, not for the declared length. Runs on the event loop.
struct BodyCollector {
    private let limit: Int
    private let inflater: Inflater?
    private var plain = Data()
    private var received = 0

    init(_ coding: ContentCoding, limit: Int) throws(UpstreamError) {
        self.limit = limit
        inflater = coding == .identity ? nil : try Inflater(coding, limit: limit)
    }

    /// - Throws: `tooLarge` above the limit, `malformed` if the bytes do not have the declared coding.
    mutating func append(_ bytes: ByteBuffer) throws(UpstreamError) {
        received += bytes.readableBytes
        guard received <= limit else { throw .tooLarge(.body, limit: limit) }
        guard let inflater else {
            plain.append(contentsOf: bytes.readableBytesView)
            return
        }
        try bytes.withUnsafeReadableBytes { bytes throws(UpstreamError) in try inflater.append(bytes) }
    }

    /// Ends the body.
    /// - Returns: the whole body.
    /// - Throws: `malformed` if its compressed data is incomplete.
    func finished() throws(UpstreamError) -> Data {
        guard let inflater else { return plain }
        // A body without bytes is empty, whatever its coding.
        if received > 0 { try inflater.finish() }
        return inflater.output
    }

    /// The received bytes, if the body can be resumed; nil for a compressed or empty body.
    var resumable: Data? { inflater == nil && !plain.isEmpty ? plain : nil }
}
