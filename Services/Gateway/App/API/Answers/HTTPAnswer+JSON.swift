import Crypto
import Foundation
import HTTPTypes
import NIOCore
import RPC

extension HTTPAnswer {
    /// A document that its readers ask for again each time, and get again only when it has changed.
    static func document(_ json: RawJSON, for request: HTTPRequest) -> HTTPAnswer {
        let known = request.headerFields[.ifNoneMatch] ?? ""
        var answer = HTTPAnswer(.ok)
        answer.fields[.contentType] = "application/json"
        answer.fields[.cacheControl] = "no-cache"
        answer.fields[.vary] = "Accept-Encoding"
        answer.body = json.text
        let hash = hash(of: json.text)
        // Two representations of one document are told apart.
        let compressed = EntityTag(hash + "-gzip")
        if answer.isWorthCompressing, AcceptEncoding.takesGzip(request.headerFields[.acceptEncoding] ?? "") {
            if compressed.isNamed(in: known) { return answer.tagged(compressed).notModified() }
            if let body = Gzip.compress(answer.body) {
                answer.fields[.contentEncoding] = "gzip"
                answer.body = body
                return answer.tagged(compressed)
            }
        }
        let tag = EntityTag(hash)
        return tag.isNamed(in: known) ? answer.tagged(tag).notModified() : answer.tagged(tag)
    }

    private var isWorthCompressing: Bool { body.readableBytes >= HTTPLimits.compressedBytes }

    private func tagged(_ tag: EntityTag) -> HTTPAnswer {
        var answer = self
        answer.fields[.eTag] = "\(tag)"
        return answer
    }

    /// Half of a SHA-256: 128 bits tell apart whatever there is.
    private static func hash(of text: ByteBuffer) -> String {
        text.withUnsafeReadableBytes { SHA256.hash(data: $0) }.prefix(16)
            .map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
