import EdgeModel
import Foundation
import JSON

/// The answer of `feed.get`: an item, and on an edge where it comes from.
public struct LoadedItem: Sendable, Equatable {
    public let item: FeedItem

    /// Absent in the answer of an authority.
    public let origin: AnswerOrigin

    /// On an edge: when the upstream last showed the item.
    public let savedAt: Date?

    public init(_ item: FeedItem, origin: AnswerOrigin = .store, savedAt: Date? = nil) {
        self.item = item
        self.origin = origin
        self.savedAt = savedAt
    }

    public static let codec = Codec<LoadedItem>.object { object in
        let item = FeedItem.Members(in: &object) { $0.item }
        let origin = object.optional(
            "origin", .oneOf, { $0.origin == .store ? nil : $0.origin }, "Absent in the answer of an authority.")
        let savedAt = object.optional(
            "saved_at", .date, \.savedAt, "On an edge: when the upstream last showed the item.")
        return { members throws(JSONError) in
            LoadedItem(
                try item.read(members), origin: try members[origin] ?? .store, savedAt: try members[savedAt])
        }
    }
}
