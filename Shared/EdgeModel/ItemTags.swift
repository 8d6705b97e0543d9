import Foundation

/// The rules of an item's tags. Pure, so that features, contracts and the gateway share them.
public enum ItemTags {
    /// The maximum number of tags of a published item.
    public static let maximumCount = 20

    /// The length of a published tag in Unicode scalars, after normalisation.
    public static let length = 1...50

    /// A storable tag: composed (Unicode NFC), without surrounding white space, and with one space for each run of white space, because
    /// a tag is one line.
    public static func normalised(_ tag: String) -> String {
        if isPlain(tag) { return tag }
        let line = tag.storable.split { $0.isWhitespace }.joined(separator: " ")
        return isComposable(line) ? line.precomposedStringWithCanonicalMapping : line
    }

    /// The maximum length of a tag that is composed and folded, in Unicode scalars: a character has at most four when it is decomposed.
    /// An upstream may have longer tags. For a run of combining marks these mappings take the square of its length.
    static let longestComposed = 4 * length.upperBound

    private static func isComposable(_ tag: String) -> Bool {
        tag.utf8.count <= longestComposed || tag.unicodeScalars.count <= longestComposed
    }

    /// For speed: whether a tag has only visible ASCII, and therefore is normalised.
    private static func isPlain(_ tag: String) -> Bool { tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

    /// Tags with the same key are equal: case and width do not matter.
    public static func key(_ tag: String) -> String {
        folded(normalised(tag))
    }

    private static func folded(_ tag: String) -> String {
        // For speed: ASCII has neither widths nor marks.
        if tag.utf8.allSatisfy({ $0 < 0x80 }) { return tag.lowercased() }
        guard isComposable(tag) else { return tag }
        // The Turkish capital of i keeps its dot when it is folded.
        return tag.folding(options: [.caseInsensitive, .widthInsensitive], locale: nil)
            .replacingOccurrences(of: "i\u{307}", with: "i", options: .literal)
            .precomposedStringWithCanonicalMapping
    }

    /// The tags as they are stored: normalised, in the given order, without empty ones and without those that equal an earlier
    /// one.
    public static func stored(_ tags: [String]) -> [String] {
        // Bytes: Swift hashes a text by its canonical composition, which the keys have.
        var keys: Set<[UInt8]> = []
        return tags.map(normalised).filter { !$0.isEmpty && keys.insert(Array(folded($0).utf8)).inserted }
    }

    /// Whether two lists are equal, without case and width.
    public static func areEqual(_ tags: [String], _ others: [String]) -> Bool {
        tags.count == others.count
            && zip(tags, others).allSatisfy {
                $0.utf8.elementsEqual($1.utf8) || key($0).utf8.elementsEqual(key($1).utf8)
            }
    }
}
