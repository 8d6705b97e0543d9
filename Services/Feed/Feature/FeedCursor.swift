import Foundation

/// From where a page of the feed is read. A cursor is an item, not a number: new items at the top never shift later pages.
public enum FeedCursor: Equatable, Sendable {
    case start

    /// The items that follow this one.
    case after(UUID)

    /// The items before (newer than) this one, nearest to it.
    case before(UUID)
}
