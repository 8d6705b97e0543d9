import FeedContract
import SearchContract

/// A search that shows how to search: it finds something in this feed.
struct SearchExample: Equatable {
    let query: String

    /// What the images have that it finds.
    let meaning: SearchText

    init(_ query: String, _ meaning: SearchText) {
        self.query = query
        self.meaning = meaning
    }

    private static let longest = 32

    /// At most one example of each kind.
    /// - Parameter items: some images of the feed, for a phrase and a photographer.
    static func all(_ suggestions: Suggestions?, _ items: [FeedItem]) -> [SearchExample] {
        let shown = items.filter { !$0.details.isSensitive }
        return [
            shown.compactMap(\.description).compactMap(phrase).first.map { SearchExample($0, .withPhrase) },
            example("tag:", suggestions?.tags.map(\.text), .withTag),
            example("place:", suggestions?.places.map(\.text), .fromPlace),
            example("by:", shown.compactMap(\.details.credit), .byPhotographer),
            example("from:", suggestions?.people.map(\.text), .fromCommenter),
        ].compactMap(\.self)
    }

    private static func example(_ field: String, _ texts: [String]?, _ meaning: SearchText) -> SearchExample? {
        texts?.first(where: isPlain).map { SearchExample(field + quoted($0), meaning) }
    }

    /// The first two neighbouring words of a text that are more than particles.
    private static func phrase(in text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        return zip(words, words.dropFirst())
            .first { pair in [pair.0, pair.1].allSatisfy { $0.count > 3 && $0.allSatisfy(\.isLetter) } }
            .map { "\($0) \($1)" }
            .flatMap { isPlain($0) ? quoted($0) : nil }
    }

    /// Whether a text can be part of a query as it is, and is short enough to be read.
    private static func isPlain(_ text: String) -> Bool {
        text.count <= longest && text.allSatisfy { $0.isLetter || $0.isNumber || ", '’._-".contains($0) }
    }

    private static func quoted(_ text: String) -> String { text.contains(" ") ? "\"\(text)\"" : text }
}
