import EdgeModel

/// Whether more items follow a page, according to the upstream's `Link` headers.
public enum FeedContinuation: String, Equatable, Sendable {
    case last, more
    /// The headers do not state whether more items follow. Only an empty page marks the end.
    case unknown

    /// - Parameter links: the values of the `Link` headers (RFC 8288).
    public init(links: [String]) {
        let relations = LinkRelations.all(in: links)
        // A link that is not about pages, for example to a style sheet, does not count.
        self = relations.contains("next") ? .more : relations.isDisjoint(with: Self.ofPages) ? .unknown : .last
    }

    /// A server that names the events of the feed names all adjacent pages, too.
    private static let ofPages: Set<Substring> = ["prev", "previous", "first", "last", "self", LinkRelations.monitor]
}
