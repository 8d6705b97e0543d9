import Foundation

/// What one write has done to the feed.
public enum FeedChange: Equatable, Sendable {
    /// These are new on top, in feed order.
    case published([FeedImage])

    /// These are gone, in the order in which they stood.
    case removed([UUID])
}
