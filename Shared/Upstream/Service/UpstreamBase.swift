import Crypto
import Foundation
import ServiceKit

/// The base URL of an upstream's API: `https://feed.example`, `http://127.0.0.1:8080/base/`.
public struct UpstreamBase: Sendable, CustomStringConvertible {
    public let url: URL
    let endpoint: UpstreamEndpoint

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

    func isAt(_ host: Host) -> Bool { endpoint.host == host }

    public var description: String { url.absoluteString }
}

extension Root {
    /// The path of a service's cache of an upstream. Every upstream has its own file, so that their answers never mix.
    public func store(_ service: String, of upstream: UpstreamBase) -> String {
        // A slash at the end makes no difference.
        let base = upstream.description.reversed().drop { $0 == "/" }.reversed()
        let digest = SHA256.hash(data: Data(String(base).utf8)).prefix(Self.digestBytes)
        return store("\(service)-edge-\(digest.map { String(format: "%02x", $0) }.joined())")
    }

    private static let digestBytes = 8
}
