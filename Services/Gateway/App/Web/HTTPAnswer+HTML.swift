import HTTPTypes
import NIOCore

extension HTTPAnswer {
    /// An answer with a page. Only this browser may store it, and must revalidate it: it depends on cookies.
    static func html(_ text: String, _ status: HTTPResponse.Status = .ok, for request: HTTPRequest) -> HTTPAnswer {
        let document = JSONDocument(ByteBuffer(string: text))
        let representation = document.representation(for: request)
        let needsGzip = representation.isCompressed && (!representation.isKnown || status != .ok)
        var answer = HTTPAnswer(document, representation, needsGzip ? Gzip.compress(document.text) : nil, for: request)
        if status != .ok {
            // An error has no entity tag, so no request is answered with 304.
            answer = HTTPAnswer(status)
            answer.body = document.text
            answer.fields[.cacheControl] = "no-store"
        } else {
            answer.fields[.cacheControl] = "private, no-cache"
            answer.fields[.vary] = "Accept-Encoding, Accept-Language, Cookie, Save-Data"
        }
        if answer.status != .notModified { answer.fields[.contentType] = "text/html; charset=utf-8" }
        answer.fields[.contentSecurityPolicy] = contentSecurityPolicy
        answer.fields[.xContentTypeOptions] = "nosniff"
        answer.fields["Referrer-Policy"] = "same-origin"
        answer.fields["Cross-Origin-Opener-Policy"] = "same-origin"
        answer.fields["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        return answer
    }

    /// Pages load only what this server serves, and placeholders, which are in the page as `data:` URLs. Nothing is inline but the
    /// ratio of each picture, as a style attribute: without it no box has its size before its picture, and without scripts.
    static let contentSecurityPolicy = [
        "default-src 'none'", "img-src 'self' data:", "style-src 'self'", "style-src-attr 'unsafe-inline'",
        "script-src 'self'", "connect-src 'self'",
        "manifest-src 'self'", "worker-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}
