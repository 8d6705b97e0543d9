import Foundation

/// The effect of one write on the feed.
public enum FeedChange: Equatable, Sendable {
    /// New items at the top, in feed order.
    case published([FeedImage])

    /// Removed items, in feed order.
    case removed([UUID])
}
