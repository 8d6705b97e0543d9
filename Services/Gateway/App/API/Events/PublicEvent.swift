import FeedContract
import Foundation
import JSON
import RPC

extension FeedEvent.Change {
    /// The name of the server-sent event, and its data; nil for a change that is not of the feed.
    func named(_ publicURL: PublicURL) -> (name: String, data: RawJSON)? {
        switch self {
        case .published(let items):
            (
                "published",
                RawJSON(
                    FeedPayload(items: items.map { EnrichedItem(item: publicURL.localized($0)) }), as: FeedPayload.codec
                )
            )
        case .removed(let ids): ("removed", RawJSON(RemovedItems(ids: ids), as: RemovedItems.codec))
        case .reset: ("reset", .emptyObject)
        case .found, .forgotten: nil
        }
    }
}

/// The data of the event `removed`.
private struct RemovedItems: Sendable {
    let ids: [UUID]

    static let codec = Codec<RemovedItems>.object { object in
        let ids = object.required("ids", .array(of: .uuid), \.ids)
        return { members throws(JSONError) in RemovedItems(ids: try members[ids]) }
    }
}
