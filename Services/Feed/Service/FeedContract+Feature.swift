import Feed
import FeedContract
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

extension FeedItem {
    init(_ image: FeedImage) {
        self.init(
            id: image.id, description: image.description, location: image.location, image: image.image,
            hints: image.hints)
    }
}

extension FeedImage {
    init(_ item: FeedItem) {
        self.init(
            id: item.id, description: item.description, location: item.location, image: item.image,
            hints: item.hints)
    }
}
