import Crypto
import HTTPTypes
import NIOCore

/// A JSON document as it is sent, and what tells its versions apart.
struct JSONDocument: Sendable {
    let text: ByteBuffer

    /// Half of a SHA-256, in hexadecimal: 128 bits tell apart whatever there is.
    let hash: String

    init(_ text: ByteBuffer) {
        var hash = SHA256()
        text.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        self.init(text, hash)
    }

    /// - Parameter hash: has been updated with exactly the text.
    init(_ text: ByteBuffer, _ hash: SHA256) {
        self.text = text
        self.hash = hash.finalize().prefix(16).map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// One of the two representations of a document. They have different tags (RFC 9110 §8.8.3.3).
    struct Representation {
        let tag: EntityTag
        let isCompressed: Bool

        /// Whether the client has it already.
        let isKnown: Bool
    }

    /// What a request gets.
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
