import Foundation

/// Whether more items follow a page, according to the upstream's `Link` headers.
public enum FeedContinuation: String, Equatable, Sendable {
    case last, more
    /// The headers do not state whether more items follow. Only an empty page marks the end.
    case unknown

    /// - Parameter links: the values of the `Link` headers (RFC 8288).
    public init(links: [String]) {
        let relations = links.reduce(into: Set<Substring>()) { $0.formUnion(Self.relations(of: $1)) }
        // A link that is not about pages, for example to a style sheet, does not count.
        self = relations.contains("next") ? .more : relations.isDisjoint(with: Self.ofPages) ? .unknown : .last
    }

    private static let ofPages: Set<Substring> = ["prev", "previous", "first", "last", "self"]

    private static func relations(of header: String) -> Set<Substring> {
        var relations: Set<Substring> = []
        for link in split(header, at: ",") where link.drop(while: \.isWhitespace).first == "<" {
            // Only the first `rel` of a link counts.
            let rel = split(link, at: ";").dropFirst().lazy.compactMap(relation).first
            relations.formUnion(rel?.lowercased().split(separator: " ").map { Substring(String($0)) } ?? [])
        }
        return relations
    }

    /// The value of a parameter, if it is `rel`.
    private static func relation(_ parameter: Substring) -> String? {
        let parts = parameter.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == "rel" else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces.union(["\""]))
    }

    /// Splits at separators outside of `<URL>` and quotes.
    private static func split(_ text: some StringProtocol, at separator: Character) -> [Substring] {
        var end: Character?
        return Substring(text).split(omittingEmptySubsequences: true) { character in
            if let closing = end {
                if character == closing { end = nil }
                return false
            }
            end = character == "<" ? ">" : character == "\"" ? "\"" : nil
            return character == separator
        }
    }
}
