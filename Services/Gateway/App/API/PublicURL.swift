import Foundation
import FeedContract
import RPC

/// The base URL at which clients reach this API; the URLs in its answers begin with it.
struct PublicURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme, host and port.
    private let authority: String

    /// The path in front of those of the API, without a trailing slash; empty for most deployments.
    let path: String

    /// Limits the base so that an image URL does not exceed the limit of an item.
    static let maximumBytes = 1_024

    /// - Parameter text: `http` or `https`, a host, and optionally a port and a path.
    /// - Returns: nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, parts.port.map({ (1...65_535).contains($0) }) ?? true,
            // A semicolon would end the path of a cookie.
            let path = text.firstMatch(of: /^[^\/]+\/\/[^\/]+((\/[A-Za-z0-9\-._~%!$&'()*+,=:@]+)*)\/?$/)?.output.1,
            !path.split(separator: "/").contains(where: { [".", ".."].contains($0.removingPercentEncoding ?? ".") })
        else {
            return nil
        }
        self.init(authority: String(text[..<path.startIndex]), path: String(path))
    }

    private init(authority: String, path: String = "") { (self.authority, self.path) = (authority, path) }

    /// The URL of the host that a client has asked.
    /// - Parameter host: the value of `Host`.
    /// - Returns: nil for an invalid or empty host.
    init?(host: String) {
        guard host.utf8.count <= Self.maximumBytes, HostField.isAuthority(host) else { return nil }
        self.init(authority: "http://" + host.lowercased())
    }

    /// The URL of the listener's address. A wildcard address is replaced by the loopback address.
    init(_ address: HTTPAddress) {
        switch address.host {
        case "0.0.0.0", "": self.init(authority: "http://127.0.0.1:\(address.port)")
        case "::": self.init(authority: "http://[::1]:\(address.port)")
        default: self.init(authority: "http://\(address)")
        }
    }

    var description: String { authority + path }

    /// The path of a cookie for this deployment only.
    var cookiePath: String { path.isEmpty ? "/" : path }

    /// The URL of an item's image at this deployment.
    func imageData(_ id: UUID) -> String { "\(self)\(Self.imageDataPath(id))" }

    /// The end of that URL, which is the same at each deployment.
    static func imageDataPath(_ id: UUID) -> String { "/v1/image/\(id.uuidString)/data" }

    /// The scheme, host and port, as browsers send them in `Origin`: without the usual port.
    var origin: String {
        let origin = authority.lowercased()
        let usual = origin.hasPrefix("https:") ? ":443" : ":80"
        return origin.hasSuffix(usual) ? String(origin.dropLast(usual.count)) : origin
    }

    /// The item with the image URL of this deployment.
    func localized(_ item: FeedItem) -> FeedItem {
        var item = item
        item.image = imageData(item.id)
        return item
    }

    func localized(_ enriched: EnrichedItem) -> EnrichedItem {
        EnrichedItem(item: localized(enriched.item), extensions: enriched.extensions)
    }

    /// The URL of the comments of an image.
    func comments(_ id: UUID) -> String { "\(self)/v1/image/\(id.uuidString)/comments" }

    /// The web page of an item.
    func page(of id: UUID) -> String { "\(self)/image/\(id.uuidString)" }

    /// The URL of a page of the feed.
    func feed(limit: Int?, _ cursor: String, _ id: UUID) -> String {
        url(of: "v1/feed", ["limit": limit.map(String.init), cursor: id.uuidString])
    }

    /// The `Link` to the events that tell of changes of an answer (RFC 5989).
    func monitor(_ path: String) -> String { "<\(self)\(path)>; rel=\"monitor\"" }

    /// The URL of a path, with those parameters that have a value. The values must need no encoding.
    func url(of path: String, _ parameters: KeyValuePairs<String, String?>) -> String {
        let query = parameters.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
        return "\(self)/\(path)" + (query.isEmpty ? "" : "?" + query)
    }
}
