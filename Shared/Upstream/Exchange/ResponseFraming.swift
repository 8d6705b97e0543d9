import NIOHTTP1

/// How the end of a response body is found. Ambiguous headers are refused, to prevent response smuggling.
enum ResponseFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// The end of the connection, as in HTTP/1.0.
    case close

    /// - Throws: `malformed`.
    init(_ head: HTTPResponseHead) throws(UpstreamError) {
        let codings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        guard head.status != .switchingProtocols else { throw .malformed("it switches to another protocol") }
        guard codings.isEmpty || lengths.isEmpty else {
            throw .malformed("it has both Content-Length and Transfer-Encoding")
        }
        guard lengths.count <= 1 else { throw .malformed("it has several Content-Length headers") }
        let length = try lengths.first.map { text throws(UpstreamError) in try Self.length(text) }
        let isChunked = codings.first?.lowercased() == "chunked"
        guard codings.isEmpty || (codings.count == 1 && isChunked && head.version == .http1_1) else {
            throw .malformed("its Transfer-Encoding is not \"chunked\"")
        }
        self =
            switch head.status {
            case .noContent, .notModified: .none
            default: isChunked ? .chunked : length.map(Self.length) ?? .close
            }
    }

    private static func length(_ text: String) throws(UpstreamError) -> Int {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(text)
        else { throw .malformed("its Content-Length is not a number") }
        return length
    }
}
