import EdgeModel
import JSON

extension FeedItem {
    /// The codec of the tags of a published item. A tag that equals an earlier one is dropped.
    public static let authoredTags = Codec<[String]>.array(of: authoredTag, count: 0...ItemTags.maximumCount).map(
        into: { tags throws(JSONError) in ItemTags.stored(tags) },
        from: { $0 })

    private static let authoredTag = Codec<String>.string.map(
        describedAs: [
            "minLength": .integer(ItemTags.length.lowerBound), "maxLength": .integer(ItemTags.length.upperBound),
            "pattern": .string(#"^[^\u0000]*[^\s\u0000][^\u0000]*$"#),
        ],
        into: { tag throws(JSONError) in
            if tag.utf8.contains(0) { throw .refused("must not contain U+0000") }
            let tag = ItemTags.normalised(tag)
            let count = tag.unicodeScalars.count
            guard ItemTags.length.contains(count) else {
                throw .refused(
                    "must have \(ItemTags.length.lowerBound) to \(ItemTags.length.upperBound) characters, has \(count)")
            }
            return tag
        },
        from: { $0 })
}
