import Foundation

/// What a watcher is told, and where it goes on from afterwards.
public struct FeedNews: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        case change(FeedChange)

        /// What has happened since the watcher's mark is not known: it has to look at the whole feed again.
        case reset
    }

    public let content: Content
    public let mark: FeedMark

    public init(_ content: Content, mark: FeedMark) {
        self.content = content
        self.mark = mark
    }
}
