import Foundation

/// The effect of one write on the comments.
public enum CommentsChange: Equatable, Sendable {
    /// New comments.
    case posted([ImageComment])

    /// The ids of removed comments.
    case removed([UUID])
}

extension CommentsChange {
    /// The size of its texts or ids, in bytes.
    public var weight: Int {
        switch self {
        case .posted(let comments): comments.reduce(0) { $0 + $1.textBytes + MemoryLayout<ImageComment>.size }
        case .removed(let ids): ids.count * MemoryLayout<UUID>.size
        }
    }
}
