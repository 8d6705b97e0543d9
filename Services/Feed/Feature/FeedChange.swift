import Foundation

/// The effect of one write on the feed, or on what an edge has of it.
public enum FeedChange: Equatable, Sendable {
    /// New items at the top, in feed order.
    case published([FeedImage])

    /// Removed items, in feed order.
    case removed([UUID])

    /// Items that an edge has now, but that are not new at its upstream.
    case found([FeedImage])

    /// Items that an edge does not have any more.
    case forgotten([UUID])
}

extension FeedChange {
    /// The size of its texts or ids, in bytes.
    public var weight: Int {
        switch self {
        case .published(let images), .found(let images): images.reduce(0) { $0 + $1.weight }
        case .removed(let ids), .forgotten(let ids): ids.count * MemoryLayout<UUID>.size
        }
    }
}
