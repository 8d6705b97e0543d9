import Foundation

/// From where a page of the feed is read. A cursor is an item, not a number: new items at the top never shift later pages.
public enum FeedCursor: Hashable, Sendable {
    case start

    /// The items that follow this one.
    case after(UUID)

    /// The items before (newer than) this one, nearest to it.
    case before(UUID)
}

extension FeedCursor {
    /// Whether it is read from newer to older items.
    public var isDownward: Bool { if case .before = self { false } else { true } }

    /// The item that it stands on.
    public var id: UUID? {
        switch self {
        case .start: nil
        case .after(let id), .before(let id): id
        }
    }
}
