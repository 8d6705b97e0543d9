import Foundation
import JSON
import RPC
import SearchContract

/// A search as a query of HTTP has it: `?q=&tag=&limit=&after=`, with any number of tags.
struct SearchRequest {
    var query: String?
    var tags: [String] = []
    var limit: Int?
    var after: String?

    static let parameters = [
        ParameterDescription(name: "q", summary: "What to search for.", schema: Codec.string.schema),
        ParameterDescription(
            name: "tag", summary: "Only images with this tag. Repeatable.", schema: Codec.string.schema),
        ParameterDescription(
            name: "limit", summary: "The maximum number of items; default 20.",
            schema: Codec.integer(SearchItems.limits).schema),
        ParameterDescription(
            name: "after", summary: "The next_after of the page before.",
            schema: Codec.trimmed(1...SearchItems.maximumCursor).schema),
    ]

    init(query: String? = nil, tags: [String] = []) {
        self.query = query
        self.tags = tags
    }

    init(_ query: Query) throws(RPCError) {
        self.query = try query.text("q")
        tags = try query.texts("tag")
        guard tags.count <= SearchItems.maximumTags else {
            throw RPCError(
                .invalidParams, "tag: must not appear more than \(SearchItems.maximumTags) times", begun: false)
        }
        limit = try query.integer("limit", in: SearchItems.limits)
        after = try query.text("after")
    }

    /// What `search.items` is asked for.
    /// - Parameter size: the number of items when the request names none.
    func params(size: Int? = nil) -> SearchItems {
        SearchItems(query: query, tags: tags, limit: limit ?? size, after: after)
    }

    /// The path of this search, or of its next page.
    func path(_ path: String, after cursor: String? = nil) -> String {
        let values =
            [("q", query)] + tags.map { ("tag", $0) } + [("limit", limit.map(String.init)), ("after", cursor)]
        let pairs = values.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        return path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    private static func encoded(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// RFC 3986.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
