import Foundation

/// The base URL of an upstream's API: `https://feed.example`, `http://127.0.0.1:8080/base/`.
public struct UpstreamBase: Sendable, CustomStringConvertible {
    public let url: URL
    public let endpoint: UpstreamEndpoint

    /// - Throws: `UpstreamOptionError`.
    public init(_ text: String) throws(UpstreamOptionError) {
        endpoint = try UpstreamEndpoint(url: text)
        guard let url = URL(string: text), url.query() == nil, url.fragment() == nil else {
            throw UpstreamOptionError("\"\(text)\": the URL of an upstream must have no query and no fragment")
        }
        self.url = url
    }

    /// Whether a URL is on the host and port of the upstream.
    public func isOrigin(of url: String) -> Bool {
        // An invalid URL has no origin.
        (try? UpstreamEndpoint(url: url)) == endpoint
    }

    public var description: String { url.absoluteString }
}
