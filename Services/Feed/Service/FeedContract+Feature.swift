import EdgeModel
import Feed
import FeedContract
import Foundation
import RPC

// Conversions between the contract's types and the feature's.

extension FeedCursor {
    init(_ params: LoadFeed) {
        self = params.afterID.map(Self.after) ?? params.beforeID.map(Self.before) ?? .start
    }

    /// `invalid_params`, for a cursor that was never an item of the feed.
    var unknownError: RPCError {
        let member = isDownward ? "after_id" : "before_id"
        return RPCError(.invalidParams, "params.\(member): \(id?.uuidString ?? "") was never an item of this feed")
    }
}

extension LoadedFeed {
    /// - Parameter isLast: whether no items follow in the direction of reading. When reading backwards, the cursor's item always
    ///   follows the page, so the page is never the last of the feed.
    init(
        _ items: [FeedImage], at cursor: FeedCursor, isLast: Bool, origin: AnswerOrigin, savedAt: Date? = nil,
        notices: [AnswerNotice]? = nil
    ) {
        self.init(
            items: items.map(FeedItem.init), nextAfterID: cursor.isDownward && isLast ? nil : items.last?.id,
            prevBeforeID: items.first?.id, origin: origin, savedAt: savedAt, notices: notices)
    }
}

extension FeedItem {
    init(_ image: FeedImage) {
        self.init(
            id: image.id, description: image.description, location: image.location, image: image.image,
            tags: image.tags, publishedAt: image.publishedAt, hints: image.hints,
            details: image.details)
    }
}

extension FeedImage {
    init(_ item: FeedItem) {
        self.init(
            id: item.id, description: item.description, location: item.location, image: item.image,
            tags: item.tags, publishedAt: item.publishedAt, hints: item.hints, details: item.details)
    }
}
