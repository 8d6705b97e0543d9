import Foundation
import JSON
import RPC

/// Parameters of `feed.items`: 1…100 ids.
public struct SelectedIDs: Sendable, Hashable {
    public let ids: [UUID]

    public init(ids: [UUID]) { self.ids = ids }

    public static let codec = Codec<SelectedIDs>.object { object in
        let ids = object.required("ids", .array(of: .uuid, count: 1...FeedContract.maximumBatch), \.ids)
        return { members throws(JSONError) in SelectedIDs(ids: try members[ids]) }
    }
}

/// The answer of `feed.items`.
public struct SelectedItems: Sendable, Equatable {
    /// In the order of the ids. Those that the feed does not have are left out.
    public let items: [FeedItem]

    public init(items: [FeedItem]) { self.items = items }

    public static let codec = Codec<SelectedItems>.object { object in
        let items = object.required(
            "items", .array(of: FeedItem.codec), \.items,
            "In the order of the ids, without those that the feed does not have.")
        return { members throws(JSONError) in SelectedItems(items: try members[items]) }
    }
}
