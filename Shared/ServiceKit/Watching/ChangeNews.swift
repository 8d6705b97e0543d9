import Foundation

/// An event for a watcher, and the watcher's mark after it.
public struct ChangeNews<Change: WatchedChange>: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        case change(Change)

        /// Changes since the watcher's mark are missing: the watcher must read the whole state again.
        case reset
    }

    public let content: Content
    public let mark: ChangeMark

    public init(_ content: Content, mark: ChangeMark) {
        self.content = content
        self.mark = mark
    }
}
