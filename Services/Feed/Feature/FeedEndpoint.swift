import Foundation

/// Where an upstream answers.
public struct FeedEndpoint: Equatable, Sendable, CustomStringConvertible {
    /// Without a slash at the end.
    private let base: String

    /// - Parameter text: the base of the upstream's API, with or without a path.
    public init(_ text: String) throws(FeedEndpointError) {
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false) else { throw .malformed }
        guard let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme) else { throw .scheme }
        guard let host = parts.percentEncodedHost, !host.isEmpty else { throw .host }
        guard parts.user == nil, parts.password == nil else { throw .credentials }
        guard parts.query == nil, parts.fragment == nil else { throw .query }
        let path = parts.percentEncodedPath.reversed().drop { $0 == "/" }.reversed()
        base = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")\(String(path))"
    }

    /// The address of a page.
    public func page(_ limit: Int, at cursor: FeedCursor) -> String {
        let page = "\(base)/v1/feed?limit=\(limit)"
        return switch cursor {
        case .start: page
        case .after(let id): "\(page)&after_id=\(id.uuidString)"
        case .before(let id): "\(page)&before_id=\(id.uuidString)"
        }
    }

    /// The address of a page of an upstream that counts them, from 1 on.
    public func page(_ limit: Int, number: Int) -> String { "\(base)/v1/feed?page=\(number)&limit=\(limit)" }

    public var description: String { base }
}

/// Why something is not the address of an upstream.
public enum FeedEndpointError: Error, Equatable, CustomStringConvertible {
    case malformed, scheme, host, credentials, query

    public var description: String {
        switch self {
        case .malformed: "it is not a URL"
        case .scheme: "it must begin with http:// or https://"
        case .host: "it names no host"
        case .credentials: "it must not contain a user or a password"
        case .query: "it must not contain a query or a fragment"
        }
    }
}
