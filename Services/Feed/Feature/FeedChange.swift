import Foundation

/// The effect of one write on the feed.
public enum FeedChange: Equatable, Sendable {
    /// New items at the top, in feed order.
    case published([FeedImage])

    /// Removed items, in feed order.
    case removed([UUID])
}

extension FeedChange {
    /// The size of its texts or ids, in bytes.
    public var weight: Int {
        switch self {
        case .published(let images): images.reduce(0) { $0 + $1.weight }
        case .removed(let ids): ids.count * MemoryLayout<UUID>.size
        }
    }
}
