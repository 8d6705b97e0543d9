import Foundation

/// The place of a page of results: behind the last result before it.
///
/// With it the order of all results is fixed, whatever is published, removed or said meanwhile: which images are ranked, and which
/// words a prefix stands for.
public struct SearchCursor: Equatable, Sendable {
    public enum Place: Equatable, Sendable {
        /// Among the ranked images: best first, of equal ones the newest.
        case ranked(score: Double, number: Int64)

        /// Among the images behind them: newest first.
        case newest(number: Int64)
    }

    public let place: Place

    /// The number of the oldest image that is ranked; nil for a query whose results are not. Newer images have lower numbers.
    public let oldestRanked: Int64?

    /// What each prefix of the query stands for.
    public let prefixes: [Expansion]

    /// What a prefix stands for.
    public enum Expansion: Equatable, Sendable {
        /// All words that begin with it.
        case all

        /// These words, of which only the ends are kept: what follows the prefix.
        case words(ends: [String])
    }

    public init(_ place: Place, oldestRanked: Int64?, prefixes: [Expansion]) {
        self.place = place
        self.oldestRanked = oldestRanked
        self.prefixes = prefixes
    }
}

extension SearchCursor {
    /// Between the parts of the text, the prefixes, and the words of one. No word has them.
    private static let (partSeparator, prefixSeparator, wordSeparator) = (
        Character("."), Character(","), Character("-")
    )

    private static let none = "_"
    private static let all = "_"

    /// The cursor as clients see it; they need not interpret it.
    public func text(for query: SearchQuery) -> String {
        let (score, number): (String, Int64) =
            switch place {
            case .ranked(let score, let number): (String(score.bitPattern, radix: 36), number)
            case .newest(let number): (Self.none, number)
            }
        let expansions = prefixes.map { expansion in
            switch expansion {
            case .all: Self.all
            case .words(let ends): ends.joined(separator: String(Self.wordSeparator))
            }
        }
        return [
            String(query.fingerprint, radix: 36), score, String(number, radix: 36),
            oldestRanked.map { String($0, radix: 36) } ?? Self.none,
            expansions.joined(separator: String(Self.prefixSeparator)),
        ].joined(separator: String(Self.partSeparator))
    }

    /// Nil for a text that is not a cursor of this query.
    public init?(_ text: String, for query: SearchQuery) {
        let parts = text.split(separator: Self.partSeparator, omittingEmptySubsequences: false)
        guard parts.count == 5, UInt64(parts[0], radix: 36) == query.fingerprint,
            let number = Int64(parts[2], radix: 36)
        else { return nil }
        let score = UInt64(parts[1], radix: 36).map(Double.init(bitPattern:))
        let place = score.map { Place.ranked(score: $0, number: number) } ?? .newest(number: number)
        let count = query.prefixCount
        let expansions = parts[4].split(separator: Self.prefixSeparator, omittingEmptySubsequences: false)
        self.init(
            place, oldestRanked: Int64(parts[3], radix: 36),
            prefixes: count == 0 ? [] : expansions.map { Expansion($0) })
        guard prefixes.count == count, oldestRanked != nil || score == nil, score?.isFinite ?? true else { return nil }
        // Numbers can be written in several ways.
        if self.text(for: query) != text { return nil }
    }
}

extension SearchCursor.Expansion {
    fileprivate init(_ text: Substring) {
        self =
            text == SearchCursor.all
            ? .all
            : .words(
                ends: text.split(separator: SearchCursor.wordSeparator, omittingEmptySubsequences: false).map(
                    String.init))
    }
}

extension SearchTerm {
    /// The same for equal terms only.
    fileprivate var notation: String { "\(field.rawValue) \(words.joined(separator: " "))\(isPrefix ? "*" : "")" }
}

extension SearchQuery {
    /// How many terms are prefixes.
    public var prefixCount: Int { (required + excluded.joined()).count { $0.isPrefix } }

    /// Distinguishes queries; FNV-1a, 64 bit.
    fileprivate var fingerprint: UInt64 {
        let terms = required.map(\.notation) + excluded.map { "-" + $0.map(\.notation).joined(separator: "+") }
        return terms.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}
