import CommentsContract
import FeedContract
import JSON
import RPC

/// The body of `GET /v1/feed`.
struct FeedPayload: Sendable {
    let items: [EnrichedItem]

    /// The plugins whose extensions are missing, because they failed.
    var problems: [Problem] = []

    struct Problem: Sendable {
        let service: String
        let kind: ErrorKind

        static let codec = Codec<Problem>.object { object in
            let service = object.required("service", .string, \.service)
            let kind = object.required("kind", .oneOf, \.kind)
            return { members throws(JSONError) in Problem(service: try members[service], kind: try members[kind]) }
        }
    }

    static let codec = Codec<FeedPayload>.object { object in
        let items = object.required("items", .array(of: EnrichedItem.codec), \.items)
        let problems = object.optional(
            "problems", .array(of: Problem.codec), { $0.problems.isEmpty ? nil : $0.problems },
            "The plugins whose extensions are missing.")
        return { members throws(JSONError) in
            FeedPayload(items: try members[items], problems: try members[problems] ?? [])
        }
    }
}

extension EnrichedItem {
    static let codec = Codec<EnrichedItem>.object { object in
        let item = FeedItem.Members(in: &object) { $0.item }
        let extensions = object.optional(
            "extensions", .dictionary(of: .any), { $0.extensions.isEmpty ? nil : $0.extensions },
            "Values that plugins of this deployment add, by name.")
        return { members throws(JSONError) in
            EnrichedItem(item: try item.read(members), extensions: try members[extensions] ?? [:])
        }
    }
}

/// The body of `GET /v1/image/{id}/comments`, as `CommentsWriter` writes it.
struct CommentsPayload: Sendable {
    let items: [Comment]

    static let codec = Codec<CommentsPayload>.object { object in
        let items = object.required("items", .array(of: Comment.codec), \.items)
        return { members throws(JSONError) in CommentsPayload(items: try members[items]) }
    }
}
