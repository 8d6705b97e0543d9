import Foundation

/// The position from which a page of the feed is read. A cursor is an item, not a number: new items at the top never
/// shift later pages.
public enum FeedCursor: Hashable, Sendable {
    case start

    /// The items that follow this one.
    case after(UUID)

    /// The items before (newer than) this one, nearest to it.
    case before(UUID)
}

extension FeedCursor {
    /// Whether the page is read from newer to older items.
    public var isDownward: Bool { if case .before = self { false } else { true } }

    /// The items of an answer beyond the cursor. Some upstreams repeat the end of the last page or ignore the cursor;
    /// their answers also contain the cursor's item and those before it.
    /// - Returns: nil for an answer that has items, but none beyond the cursor.
    public func beyond(_ items: [FeedImage]) -> [FeedImage]? {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return items }
        if !isDownward { return Array(items[..<index]) }
        return index + 1 < items.endIndex ? Array(items[(index + 1)...]) : nil
    }

    /// The item of the cursor; nil for the start.
    public var id: UUID? {
        switch self {
        case .start: nil
        case .after(let id), .before(let id): id
        }
    }
}
