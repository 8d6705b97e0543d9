import Foundation

/// An event for a watcher, and the watcher's mark after it.
public struct FeedNews: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        case change(FeedChange)

        /// Changes since the watcher's mark are missing: the watcher must load the whole feed again.
        case reset
    }

    public let content: Content
    public let mark: FeedMark

    public init(_ content: Content, mark: FeedMark) {
        self.content = content
        self.mark = mark
    }
}
