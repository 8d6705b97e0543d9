import JSON
import RPC

/// Parameters of `search.suggest`.
public struct Suggest: Sendable, Equatable {
    /// What a reader has typed of a tag, a place or a name.
    public let prefix: String

    /// 1…20 of each kind; default 8.
    public let limit: Int?

    public init(prefix: String, limit: Int? = nil) {
        self.prefix = prefix
        self.limit = limit
    }

    public static let limits = 1...20
    public static let defaultLimit = 8

    public static let codec = Codec<Suggest>.object { object in
        let prefix = object.required(
            "prefix", .string, \.prefix, "The beginning of a word; \"\" for the most frequent.")
        let limit = object.optional("limit", .integer(limits), \.limit, "The maximum number of each kind; default 8.")
        return { members throws(JSONError) in Suggest(prefix: try members[prefix], limit: try members[limit]) }
    }
}

/// The answer of `search.suggest`. Each list is sorted by count, the most frequent first.
public struct Suggestions: Sendable, Equatable {
    public let tags: [Suggestion]
    public let places: [Suggestion]

    /// Authors of comments.
    public let people: [Suggestion]

    public init(tags: [Suggestion], places: [Suggestion], people: [Suggestion]) {
        self.tags = tags
        self.places = places
        self.people = people
    }

    public static let codec = Codec<Suggestions>.object { object in
        let list = Codec<[Suggestion]>.array(of: Suggestion.codec, count: 0...Suggest.limits.upperBound)
        let tags = object.required("tags", list, \.tags)
        let places = object.required("places", list, \.places)
        let people = object.required("people", list, \.people, "Authors of comments.")
        return { members throws(JSONError) in
            Suggestions(tags: try members[tags], places: try members[places], people: try members[people])
        }
    }
}

/// A tag, place or author.
public struct Suggestion: Sendable, Equatable {
    /// As it is written in most images.
    public let text: String

    /// The number of images with it.
    public let count: Int

    public init(text: String, count: Int) {
        self.text = text
        self.count = count
    }

    public static let codec = Codec<Suggestion>.object { object in
        let text = object.required("text", .string, \.text)
        let count = object.required("count", .integer(1 ... .max), \.count, "The number of images with it.")
        return { members throws(JSONError) in Suggestion(text: try members[text], count: try members[count]) }
    }
}
