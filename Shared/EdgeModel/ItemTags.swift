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
        let words = tag.storable.split { $0.isWhitespace }
        return words.joined(separator: " ").precomposedStringWithCanonicalMapping
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
        return tag.folding(options: [.caseInsensitive, .widthInsensitive], locale: nil)
            .precomposedStringWithCanonicalMapping
    }

    /// The tags as they are stored: normalised, in the given order, without empty ones and without those that equal an earlier
    /// one.
    public static func stored(_ tags: [String]) -> [String] {
        var keys: Set<String> = []
        return tags.map(normalised).filter { !$0.isEmpty && keys.insert(folded($0)).inserted }
    }

    /// Whether two lists are equal, without case and width.
    public static func areEqual(_ tags: [String], _ others: [String]) -> Bool {
        tags == others || tags.map(key) == others.map(key)
    }
}
