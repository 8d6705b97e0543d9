import Crypto
import Foundation
import ServiceKit

/// Where an upstream's API begins: `https://feed.example`, `http://127.0.0.1:8080/base/`.
public struct UpstreamBase: Sendable, CustomStringConvertible {
    public let url: URL
    let endpoint: UpstreamEndpoint

    /// - Throws: `UpstreamOptionError`, saying what is wrong with the text.
    public init(_ text: String) throws(UpstreamOptionError) {
        endpoint = try UpstreamEndpoint(url: text)
        guard let url = URL(string: text), url.query() == nil, url.fragment() == nil else {
            throw UpstreamOptionError("\"\(text)\": an upstream has no query and no fragment")
        }
        self.url = url
    }

    /// Whether a URL is on the host and port of the upstream.
    public func isOrigin(of url: String) -> Bool {
        // One that is no URL is nobody's.
        (try? UpstreamEndpoint(url: url)) == endpoint
    }

    func isAt(_ host: Host) -> Bool { endpoint.host == host }

    public var description: String { url.absoluteString }
}

extension Root {
    /// Where a service keeps what it has of an upstream. Every upstream has a file of its own, so that what one has said is
    /// never told as another's.
    public func store(_ service: String, of upstream: UpstreamBase) -> String {
        // With or without the slash at its end it is the same.
        let base = upstream.description.reversed().drop { $0 == "/" }.reversed()
        let digest = SHA256.hash(data: Data(String(base).utf8)).prefix(Self.digestBytes)
        return store("\(service)-edge-\(digest.map { String(format: "%02x", $0) }.joined())")
    }

    private static let digestBytes = 8
}
