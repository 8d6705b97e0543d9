import Foundation

/// The place of a page of results: the last result before it.
public struct SearchCursor: Equatable, Sendable {
    public let score: Double

    /// The image's number: newer images have lower ones.
    public let number: Int64

    public init(score: Double, number: Int64) {
        self.score = score
        self.number = number
    }
}

extension SearchCursor {
    private static let separator: Character = "."

    /// The cursor as clients see it; they need not interpret it.
    public func text(for query: SearchQuery) -> String {
        let parts = [query.fingerprint, score.bitPattern].map { String($0, radix: 36) } + [String(number, radix: 36)]
        return parts.joined(separator: String(Self.separator))
    }

    /// Nil for a text that is not a cursor of this query.
    public init?(_ text: String, for query: SearchQuery) {
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 3, UInt64(parts[0], radix: 36) == query.fingerprint,
            let score = UInt64(parts[1], radix: 36).map(Double.init(bitPattern:)), score.isFinite,
            let number = Int64(parts[2], radix: 36)
        else { return nil }
        self.init(score: score, number: number)
        // Numbers can be written in several ways.
        if self.text(for: query) != text { return nil }
    }
}

extension SearchTerm {
    /// The same for equal terms only.
    fileprivate var notation: String { "\(field.rawValue) \(words.joined(separator: " "))\(isPrefix ? "*" : "")" }
}

extension SearchQuery {
    /// Distinguishes queries; FNV-1a, 64 bit.
    fileprivate var fingerprint: UInt64 {
        let terms = required.map(\.notation) + excluded.map { "-" + $0.map(\.notation).joined(separator: "+") }
        return terms.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
    }
}
