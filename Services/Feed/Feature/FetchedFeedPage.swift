import EdgeModel
import Foundation

/// A page that was fetched from the upstream at a cursor.
public struct FetchedFeedPage: Equatable, Sendable {
    /// In feed order, each once, without the cursor's.
    public var items: [FeedImage]
    public let limit: Int
    public let cursor: FeedCursor

    /// When the upstream's answer was generated: the time of receipt less its `Age`.
    public let savedAt: Date

    /// The answer's `Age` in seconds; 0 unless it came from a cache.
    public let age: Int

    public var continuation: FeedContinuation

    /// Whether the upstream sent fewer items than requested and did not say whether more follow.
    public let isShort: Bool

    /// Whether the upstream's events tell when this page changes.
    public var isMonitored = false

    /// Empty when the page combines several answers of the upstream.
    public var validators: AnswerValidators

    public init(
        items: [FeedImage], limit: Int, cursor: FeedCursor, savedAt: Date, age: Int = 0,
        continuation: FeedContinuation = .unknown, isShort: Bool = false,
        validators: AnswerValidators = AnswerValidators()
    ) {
        self.items = items
        self.limit = limit
        self.cursor = cursor
        self.savedAt = savedAt
        self.age = age
        self.continuation = continuation
        self.isShort = isShort
        self.validators = validators
    }

    public var receivedAt: Date { savedAt.addingTimeInterval(TimeInterval(age)) }

    /// Whether no items follow in the direction of reading.
    public var isEnd: Bool { items.isEmpty || cursor.isDownward && continuation == .last }
}
