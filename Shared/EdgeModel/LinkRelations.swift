import Foundation

/// The relations of `Link` headers (RFC 8288).
public enum LinkRelations {
    /// That of the events which tell of changes of an answer (RFC 5989).
    public static let monitor: Substring = "monitor"

    /// The relations of all links, in lower case.
    /// - Parameter headers: the values of the `Link` headers.
    public static func all(in headers: [String]) -> Set<Substring> {
        headers.reduce(into: []) { $0.formUnion(relations(of: $1)) }
    }

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
