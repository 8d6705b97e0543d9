import Foundation
import JSON
import RPC

/// Parameters of `feed.get`.
public struct FeedItemSelection: Sendable, Equatable {
    public let id: UUID

    public init(id: UUID) { self.id = id }

    public static let codec = Codec<FeedItemSelection>.object { object in
        let id = object.required("id", .uuid, \.id)
        return { members throws(JSONError) in FeedItemSelection(id: try members[id]) }
    }
}

/// Parameters of `feed.publish`: 1…100 items in feed order.
public struct PublishedItems: Sendable, Equatable {
    public let items: [FeedItem]

    public init(items: [FeedItem]) { self.items = items }

    public static let codec = Codec<PublishedItems>.object { object in
        let items = object.required(
            "items", .array(of: FeedItem.authoredCodec, count: 1...FeedContract.maximumBatch), \.items,
            "The first item becomes the top of the feed.")
        return { members throws(JSONError) in
            let items = try members[items]
            if let index = items.indexOfRepeated(\.id) {
                throw .mismatch(path: "items[\(index)].id", reason: "appears more than once in the call")
            }
            return PublishedItems(items: items)
        }
    }
}

/// Parameters of `feed.remove`: 1…100 ids.
public struct RemovedItems: Sendable, Equatable {
    public let ids: [UUID]

    public init(ids: [UUID]) { self.ids = ids }

    public static let codec = Codec<RemovedItems>.object { object in
        let ids = object.required("ids", .array(of: .uuid, count: 1...FeedContract.maximumBatch), \.ids)
        return { members throws(JSONError) in RemovedItems(ids: try members[ids]) }
    }
}

/// The answer of `feed.validate`.
public struct Validation: Sendable, Equatable {
    public enum Outcome: String, Sendable, CaseIterable {
        case kept
        /// An expired entry was deleted.
        case deleted
    }

    public let outcome: Outcome

    public init(outcome: Outcome) { self.outcome = outcome }

    public static let codec = Codec<Validation>.object { object in
        let outcome = object.required("outcome", .oneOf, \.outcome)
        return { members throws(JSONError) in Validation(outcome: try members[outcome]) }
    }
}

extension Array {
    /// The index of the first element whose key an earlier element also has.
    fileprivate func indexOfRepeated<Key: Hashable>(_ key: (Element) -> Key) -> Int? {
        var seen: Set<Key> = []
        return firstIndex { !seen.insert(key($0)).inserted }
    }
}
