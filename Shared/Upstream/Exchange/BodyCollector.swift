import Foundation
import NIOCore

/// Collects a body up to a limit. What it holds grows with what comes, never with what was announced. Lives on the event
/// loop.
struct BodyCollector {
    private let limit: Int
    private let inflater: Inflater?
    private var plain = Data()
    private var received = 0

    init(_ coding: ContentCoding, limit: Int) throws(UpstreamError) {
        self.limit = limit
        inflater = coding == .identity ? nil : try Inflater(coding, limit: limit)
    }

    /// - Throws: `tooLarge` beyond the limit, `malformed` for what is not compressed as was said.
    mutating func append(_ bytes: ByteBuffer) throws(UpstreamError) {
        received += bytes.readableBytes
        guard received <= limit else { throw .tooLarge(.body, limit: limit) }
        guard let inflater else {
            plain.append(contentsOf: bytes.readableBytesView)
            return
        }
        try bytes.withUnsafeReadableBytes { bytes throws(UpstreamError) in try inflater.append(bytes) }
    }

    /// The body, which is complete.
    func finished() throws(UpstreamError) -> Data {
        guard let inflater else { return plain }
        // Nothing at all is an empty body, compressed or not.
        if received > 0 { try inflater.finish() }
        return inflater.output
    }

    /// What can be resumed: so many bytes as came, as they came.
    var resumable: Data? { inflater == nil && !plain.isEmpty ? plain : nil }
}
