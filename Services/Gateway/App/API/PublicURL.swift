import Foundation
import FeedContract
import RPC

/// Where readers reach this API: what the URLs that it hands out begin with.
struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// Without a slash at its end.
    private let base: String

    /// So that an image's URL stays within what an item may have.
    static let maximumBytes = 1_024

    /// - Parameter text: `http` or `https`, a host, perhaps a port and a path.
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

    /// The address itself. One that stands for all of a machine's is no address for readers: they are taken to be on the
    /// same machine.
    init(_ address: HTTPAddress) {
        switch address.host {
        case "0.0.0.0", "": base = "http://127.0.0.1:\(address.port)"
        case "::": base = "http://[::1]:\(address.port)"
        default: base = "http://\(address)"
        }
    }

    var description: String { base }

    /// The bytes of an item's image, at this deployment.
    func imageData(_ id: UUID) -> String { "\(base)/v1/image/\(id.uuidString)/data" }

    /// A page of the feed.
    func feed(limit: Int?, _ cursor: String, _ id: UUID) -> String {
        "\(base)/v1/feed?" + (limit.map { "limit=\($0)&" } ?? "") + "\(cursor)=\(id.uuidString)"
    }
}
