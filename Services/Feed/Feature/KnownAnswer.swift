import EdgeModel
import Foundation

/// A cached answer that the upstream may confirm with `304 Not Modified`.
public struct KnownAnswer: Equatable, Sendable {
    public let items: [FeedImage]
    public let continuation: FeedContinuation
    public let validators: AnswerValidators

    public init(items: [FeedImage], continuation: FeedContinuation, validators: AnswerValidators) {
        self.items = items
        self.continuation = continuation
        self.validators = validators
    }

    /// Whether the upstream has stated that no items follow; nil when it has stated nothing.
    public func isLast(at cursor: FeedCursor) -> Bool? {
        if items.isEmpty { return true }
        switch continuation {
        case .unknown: return nil
        case .more: return false
        case .last: return cursor.isDownward
        }
    }
}
