import Foundation
import NIOCore
import NIOHTTP1

/// Assembles a response from the parts that the decoder yields. It refuses oversized and ambiguous responses. Runs on the event
/// loop.
struct ResponseReader {
    private enum State {
        case header
        case body(HTTPResponseHead, ContentCoding, BodyCollector)
        case streaming(HTTPResponseHead, UpstreamStream, received: Int)
        /// The body of a redirect, which is not used.
        case discarding(HTTPResponseHead, received: Int)
    }

    private let url: String
    private let limits: UpstreamLimits
    private let bodyLimit: Int
    private let stream: UpstreamStream?
    private var state = State.header
    private var informationalResponses = 0

    init(url: HTTPURL, limits: UpstreamLimits, bodyLimit: Int, stream: UpstreamStream? = nil) {
        self.url = "\(url)"
        self.limits = limits
        self.bodyLimit = bodyLimit
        self.stream = stream
    }

    /// Whether the header is complete, so that the body follows.
    var hasHead: Bool { if case .header = state { false } else { true } }

    // MARK: Parts

    /// - Throws: `malformed` or `tooLarge`.
    mutating func receive(_ head: HTTPResponseHead) throws(UpstreamError) {
        guard !hasHead else { throw .malformed("a second header") }
        // RFC 9110, section 15: a status above 599 counts as a server error.
        guard (100...999).contains(head.status.code) else { throw .malformed("its status is not from 100 to 999") }
        if (100..<200).contains(head.status.code), head.status != .switchingProtocols {
            informationalResponses += 1
            guard informationalResponses <= UpstreamLimits.informationalResponses else {
                throw .malformed("too many informational responses")
            }
            return
        }
        let framing = try ResponseFraming(head)
        guard Redirect.statuses.contains(head.status.code) == false else {
            state = .discarding(head, received: 0)
            return
        }
        let coding = framing == .none ? .identity : try ContentCoding(head.headers["content-encoding"])
        guard coding == .identity || head.status != .partialContent else {
            throw .malformed("a part of a compressed body, which cannot be inflated")
        }
        if case .length(let length) = framing, length > bodyLimit {
            throw .tooLarge(.declaredBody, limit: bodyLimit)
        }
        if let stream, coding == .identity, head.status == .ok, stream.isType(of: head) {
            state = .streaming(head, stream, received: 0)
        } else {
            state = .body(head, coding, try BodyCollector(coding, limit: bodyLimit))
        }
    }

    /// - Returns: the response of a redirect when its body is too long to read to its end; else nil.
    mutating func receive(_ bytes: ByteBuffer) throws(UpstreamError) -> UpstreamResponse? {
        switch state {
        case .header: throw .malformed("a body without a header")
        case .body(let head, let coding, var body):
            // Release the other reference, so that appending does not copy the body.
            state = .header
            defer { state = .body(head, coding, body) }
            try body.append(bytes)
            return nil
        case .streaming(let head, let stream, var received):
            received += bytes.readableBytes
            guard received <= bodyLimit else { throw .tooLarge(.body, limit: bodyLimit) }
            state = .streaming(head, stream, received: received)
            stream.receive(bytes)
            return nil
        case .discarding(let head, var received):
            received += bytes.readableBytes
            state = .discarding(head, received: received)
            return received > UpstreamLimits.discardedBytes ? response(head, Data()) : nil
        }
    }

    /// - Returns: nil for the end of an informational response.
    func end() throws(UpstreamError) -> UpstreamResponse? {
        switch state {
        case .header: nil
        case .body(let head, let coding, let body): response(head, try body.finished(), inflated: coding != .identity)
        case .streaming(let head, _, _), .discarding(let head, _): response(head, Data())
        }
    }

    // MARK: Responses

    /// The received part of the response, to resume with `Range`; nil when it cannot be resumed.
    var partial: UpstreamResponse? {
        guard case .body(let head, _, let body) = state else { return nil }
        return body.resumable.map { response(head, $0) }
    }

    private func response(_ head: HTTPResponseHead, _ body: Data, inflated: Bool = false) -> UpstreamResponse {
        var headers = UpstreamHeaders(head.headers.map { ($0.name, $0.value) })
        if inflated {
            headers.remove("Content-Encoding")
            headers.remove("Content-Length")
        }
        return UpstreamResponse(status: Int(head.status.code), headers: headers, body: body, url: url)
    }
}
