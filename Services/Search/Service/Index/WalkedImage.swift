import Search

/// An image as the walk through the feed reads it, with all that can be prepared before its transaction.
struct WalkedImage: Sendable {
    let entry: IndexEntry

    /// Whether the comments of the entry could be read.
    let knowsComments: Bool

    /// Nil for an image that was indexed already when it was read.
    let words: EntryWords?

    var isIndexed: Bool { words == nil }

    /// - Parameter comments: nil if they could not be read.
    init(_ image: SearchableImage, comments: [SearchableComment]?, isIndexed: Bool = false) {
        entry = IndexEntry(image, comments ?? [])
        knowsComments = comments != nil
        words = isIndexed ? nil : EntryWords(entry)
    }
}
