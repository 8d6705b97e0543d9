import Foundation
import FeedContract
import RPC

/// The base URL at which clients reach this API; the URLs in its answers begin with it.
struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// The URL without a trailing slash.
    private let base: String

    /// Limits the base so that an image URL does not exceed the limit of an item.
    static let maximumBytes = 1_024

    /// - Parameter text: `http` or `https`, a host, and optionally a port and a path.
    /// - Returns: nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, parts.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            return nil
        }
        base = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The URL of the listener's address. A wildcard address is replaced by the loopback address.
    init(_ address: HTTPAddress) {
        switch address.host {
        case "0.0.0.0", "": base = "http://127.0.0.1:\(address.port)"
        case "::": base = "http://[::1]:\(address.port)"
        default: base = "http://\(address)"
        }
    }

    var description: String { base }

    /// The URL of an item's image at this deployment.
    func imageData(_ id: UUID) -> String { "\(base)/v1/image/\(id.uuidString)/data" }

    /// The scheme, host and port, as browsers send them in `Origin`.
    var origin: String {
        let afterScheme = base.firstRange(of: "://").map { base[$0.upperBound...] } ?? base[...]
        return String(base[..<(afterScheme.firstIndex(of: "/") ?? base.endIndex)]).lowercased()
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
    func comments(_ id: UUID) -> String { "\(base)/v1/image/\(id.uuidString)/comments" }

    /// The web page of an item.
    func page(of id: UUID) -> String { "\(base)/image/\(id.uuidString)" }

    /// The URL of a page of the feed.
    func feed(limit: Int?, _ cursor: String, _ id: UUID) -> String {
        url(of: "v1/feed", ["limit": limit.map(String.init), cursor: id.uuidString])
    }

    /// The URL of a path, with those parameters that have a value. The values must need no encoding.
    func url(of path: String, _ parameters: KeyValuePairs<String, String?>) -> String {
        let query = parameters.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
        return "\(base)/\(path)" + (query.isEmpty ? "" : "?" + query)
    }
}
