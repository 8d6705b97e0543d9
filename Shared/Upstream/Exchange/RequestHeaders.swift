import NIOHTTP1

/// The checked headers of a request, and the rule which of them another origin may see.
struct RequestHeaders: Sendable {
    private var headers: UpstreamHeaders

    /// Headers that only the client sets, because they frame the request and its response.
    private static let reserved: Set = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Headers that reveal nothing about the caller, so that any server may see them. Any other header may be a credential.
    private static let harmless: Set = [
        "accept", "accept-encoding", "accept-language", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "range", "user-agent",
    ]

    /// - Throws: `refused` for a header that is malformed or reserved.
    init(_ headers: UpstreamHeaders) throws(UpstreamError) {
        for field in headers.fields {
            guard Self.isToken(field.name), Self.isValue(field.value),
                !Self.reserved.contains(field.name.lowercased())
            else { throw .refused(.header(field.name)) }
        }
        self.headers = headers
    }

    /// Removes the headers that only the first origin may see.
    mutating func leaveOrigin() {
        headers = UpstreamHeaders(
            headers.fields.filter { Self.harmless.contains($0.name.lowercased()) }.map { ($0.name, $0.value) })
    }

    func head(for url: HTTPURL, userAgent: String, acceptsCompression: Bool) -> HTTPRequestHead {
        var all = HTTPHeaders([("Host", url.origin.authority)])
        for field in headers.fields { all.add(name: field.name, value: field.value) }
        if !all.contains(name: "User-Agent") { all.add(name: "User-Agent", value: userAgent) }
        if !all.contains(name: "Accept") { all.add(name: "Accept", value: "*/*") }
        if !all.contains(name: "Accept-Encoding") {
            // A part of compressed bytes could not be inflated.
            let isWhole = acceptsCompression && !all.contains(name: "Range")
            all.add(name: "Accept-Encoding", value: isWhole ? "gzip, deflate" : "identity")
        }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target, headers: all)
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }
}
