import NIOHTTP1

/// Where the body of a response ends. A header that two readers could understand in two ways is no header.
enum ResponseFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// By the end of the connection: how HTTP/1.0 does it.
    case close

    /// - Throws: `malformed`
    init(_ head: HTTPResponseHead) throws(UpstreamError) {
        let codings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        guard head.status != .switchingProtocols else { throw .malformed("it changes to a protocol not asked for") }
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
        else { throw .malformed("its Content-Length is no number") }
        return length
    }
}
