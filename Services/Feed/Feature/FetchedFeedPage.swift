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

    /// Whether the answer came from a cache, so that its `Age` is above 0.
    public let isAged: Bool

    public var continuation: FeedContinuation

    /// Whether the upstream sent fewer items than requested and did not say whether more follow.
    public let isShort: Bool

    /// Empty when the page combines several answers of the upstream.
    public var validators: AnswerValidators

    public init(
        items: [FeedImage], limit: Int, cursor: FeedCursor, savedAt: Date, isAged: Bool = false,
        continuation: FeedContinuation = .unknown, isShort: Bool = false,
        validators: AnswerValidators = AnswerValidators()
    ) {
        self.items = items
        self.limit = limit
        self.cursor = cursor
        self.savedAt = savedAt
        self.isAged = isAged
        self.continuation = continuation
        self.isShort = isShort
        self.validators = validators
    }

    /// Whether no items follow in the direction of reading.
    public var isEnd: Bool { items.isEmpty || cursor.isDownward && continuation == .last }
}
