import Foundation
import JSON
import RPC

/// Parameters of `search.items`.
public struct SearchItems: Sendable, Equatable {
    /// What a reader typed. Empty or nil finds all images, newest first.
    public let query: String?

    /// Images must have all these tags. Case and width do not matter.
    public let tags: [String]

    /// 1…100; default 20.
    public let limit: Int?

    /// The `nextAfter` of an answer to the same query and tags.
    public let after: String?

    public init(query: String? = nil, tags: [String] = [], limit: Int? = nil, after: String? = nil) {
        self.query = query
        self.tags = tags
        self.limit = limit
        self.after = after
    }

    public static let limits = 1...100
    public static let defaultLimit = 20

    /// The maximum number of tags, which is the maximum of an item.
    public static let maximumTags = 20

    /// The maximum length of a cursor in Unicode scalars.
    public static let maximumCursor = 3_000

    public static let codec = Codec<SearchItems>.object { object in
        let query = object.optional(
            "q", .string, \.query,
            #"Words, "phrases", -not, tag:T, place:P, by:CREDIT, from:AUTHOR; the last word may be incomplete."#)
        let tags = object.optional(
            "tags", .array(of: .string, count: 0...maximumTags), { $0.tags.isEmpty ? nil : $0.tags },
            "Only images with all these tags.")
        let limit = object.optional("limit", .integer(limits), \.limit, "The maximum number of items; default 20.")
        let after = object.optional(
            "after", .trimmed(1...maximumCursor), \.after, "The next_after of an answer to the same query.")
        return { members throws(JSONError) in
            SearchItems(
                query: try members[query], tags: try members[tags] ?? [], limit: try members[limit],
                after: try members[after])
        }
    }
}

/// The answer of `search.items`.
public struct FoundItems: Sendable, Equatable {
    /// Best first.
    public let items: [FoundItem]

    /// The cursor of the next page; absent at the end.
    public let nextAfter: String?

    /// The number of matching images, counted up to `maximumTotal`: a total of `maximumTotal` means at least as many.
    public let totalAtLeast: Int

    /// The time up to which the index has all changes; absent before the first.
    public let indexedAt: Date?

    /// How many percent of the images are indexed; absent when all are.
    public let indexing: Int?

    /// The count of matching images ends here.
    public static let maximumTotal = 1_000

    public init(items: [FoundItem], nextAfter: String?, totalAtLeast: Int, indexedAt: Date?, indexing: Int? = nil) {
        self.items = items
        self.nextAfter = nextAfter
        self.totalAtLeast = totalAtLeast
        self.indexedAt = indexedAt
        self.indexing = indexing
    }

    public static let codec = Codec<FoundItems>.object { object in
        let items = object.required(
            "items", .array(of: FoundItem.codec, count: 0...SearchItems.limits.upperBound), \.items)
        let next = object.optional(
            "next_after", .trimmed(1...SearchItems.maximumCursor), \.nextAfter, "Absent at the end.")
        let total = object.required("total_at_least", .integer(0...maximumTotal), \.totalAtLeast)
        let indexedAt = object.optional("indexed_at", .date, \.indexedAt, "The index has all changes up to this time.")
        let indexing = object.optional(
            "indexing", .integer(0...99), \.indexing, "The index is incomplete: percent of the images that it has.")
        return { members throws(JSONError) in
            FoundItems(
                items: try members[items], nextAfter: try members[next], totalAtLeast: try members[total],
                indexedAt: try members[indexedAt], indexing: try members[indexing])
        }
    }
}

/// An image that matches.
public struct FoundItem: Sendable, Equatable {
    public let imageID: UUID

    /// The part of a text of the image, or of its comments, that matches best.
    public let snippet: [SnippetPart]

    /// Higher is better. It depends on the image's title, tags and place alone: 0 for an image that is found by its comments, and for
    /// images that are not ranked. Comparable within the answers to one query.
    public let score: Double

    public init(imageID: UUID, snippet: [SnippetPart], score: Double) {
        self.imageID = imageID
        self.snippet = snippet
        self.score = score
    }

    public static let codec = Codec<FoundItem>.object { object in
        let imageID = object.required("image_id", .uuid, \.imageID)
        let snippet = object.required(
            "snippet", .array(of: SnippetPart.codec), \.snippet, "The texts in sequence are the snippet.")
        let score = object.required("score", .number(), \.score, "Higher is better.")
        return { members throws(JSONError) in
            FoundItem(imageID: try members[imageID], snippet: try members[snippet], score: try members[score])
        }
    }
}

/// A part of a snippet.
public struct SnippetPart: Sendable, Equatable {
    public let text: String

    /// Whether the part matches the query.
    public let isHit: Bool

    public init(_ text: String, isHit: Bool = false) {
        self.text = text
        self.isHit = isHit
    }

    public static let codec = Codec<SnippetPart>.object { object in
        let text = object.required("text", .string, \.text)
        let hit = object.optional("hit", .boolean, { $0.isHit ? true : nil }, "True: the part matches the query.")
        return { members throws(JSONError) in SnippetPart(try members[text], isHit: try members[hit] ?? false) }
    }
}
