import Crypto
import HTTPTypes
import NIOCore
import ServiceKit

/// A JSON text to be sent, with the hash for its entity tag.
struct JSONDocument: Sendable {
    let text: ByteBuffer

    /// The first half of the text's SHA-256, in hexadecimal.
    let hash: String

    init(_ text: ByteBuffer) {
        var hash = SHA256()
        text.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        self.init(text, hash)
    }

    /// - Parameter hash: a hash that was updated with exactly the text.
    init(_ text: ByteBuffer, _ hash: SHA256) {
        self.text = text
        self.hash = hash.finalize().prefix(16).hexadecimal
    }

    /// A representation of the document: plain or compressed. The two have different entity tags (RFC 9110 §8.8.3.3).
    struct Representation {
        let tag: EntityTag
        let isCompressed: Bool

        /// Whether the client already has it, according to `If-None-Match`.
        let isKnown: Bool
    }

    /// The representation that a request selects.
    func representation(for request: HTTPRequest) -> Representation {
        let isCompressed =
            text.readableBytes >= HTTPLimits.compressedBytes
            && AcceptEncoding.takesGzip(request.headerFields[.acceptEncoding] ?? "")
        return representation(isCompressed: isCompressed, for: request)
    }

    func representation(isCompressed: Bool, for request: HTTPRequest) -> Representation {
        let tag = EntityTag(isCompressed ? hash + "-gzip" : hash)
        return Representation(
            tag: tag, isCompressed: isCompressed, isKnown: tag.isNamed(in: request.headerFields[.ifNoneMatch] ?? ""))
    }
}
