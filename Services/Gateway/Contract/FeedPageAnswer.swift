import EdgeModel
import FeedContract
import Foundation
import JSON
import Presentation
import RPC

/// Parameters of `gateway.feed_page`: those of `feed.load`, and the user's language.
public struct FeedPageRequest: Sendable, Equatable {
    public let limit: Int?
    public let afterID: UUID?
    public let beforeID: UUID?

    /// A language tag like `pt-BR`, or the name of a POSIX locale.
    public let locale: String?

    public init(limit: Int? = nil, afterID: UUID? = nil, beforeID: UUID? = nil, locale: String? = nil) {
        self.limit = limit
        self.afterID = afterID
        self.beforeID = beforeID
        self.locale = locale
    }

    public static let codec = Codec<FeedPageRequest>.object { object in
        let limit = object.optional("limit", .integer(LoadFeed.limits), \.limit)
        let afterID = object.optional("after_id", .uuid, \.afterID)
        let beforeID = object.optional("before_id", .uuid, \.beforeID)
        let locale = object.optional(
            "locale", .string, \.locale, "en, pt-BR, el or es, matched by language; default en.")
        return { members throws(JSONError) in
            let request = FeedPageRequest(
                limit: try members[limit], afterID: try members[afterID], beforeID: try members[beforeID],
                locale: try members[locale])
            if request.afterID != nil, request.beforeID != nil {
                throw .mismatch(path: "before_id", reason: "cannot be combined with after_id")
            }
            return request
        }
    }
}

/// The answer of `gateway.feed_page`: the page in the user's language, and the members that a program needs.
public struct FeedPageAnswer: Sendable, Equatable {
    public let page: FeedPageViewModel
    public let nextAfterID: UUID?
    public let prevBeforeID: UUID?
    public let origin: AnswerOrigin

    /// When the page was fetched from the upstream; nil on an authority.
    public let savedAt: Date?

    /// Parts of the page that are missing, because their service failed.
    public let problems: [ProblemViewModel]

    public init(
        page: FeedPageViewModel, nextAfterID: UUID?, prevBeforeID: UUID?, origin: AnswerOrigin, savedAt: Date?,
        problems: [ProblemViewModel]
    ) {
        self.page = page
        self.nextAfterID = nextAfterID
        self.prevBeforeID = prevBeforeID
        self.origin = origin
        self.savedAt = savedAt
        self.problems = problems
    }

    public static let codec = Codec<FeedPageAnswer>.object { object in
        let title = object.required("title", .string, \.page.title)
        let items = object.required("items", .array(of: FeedImageViewModel.codec), \.page.items)
        let next = object.optional("next_after_id", .uuid, \.nextAfterID)
        let prev = object.optional("prev_before_id", .uuid, \.prevBeforeID)
        let origin = object.required("origin", .oneOf, \.origin)
        let savedAt = object.optional("saved_at", .date, \.savedAt)
        let status = object.optional("status", .string, \.page.status, "How old the page is.")
        let empty = object.optional("empty", .string, \.page.empty, "The text to show in place of an empty feed.")
        let end = object.optional("end", .string, \.page.end, "The text to show after the last item of the feed.")
        let problems = object.required("problems", .array(of: ProblemViewModel.codec), \.problems)
        return { members throws(JSONError) in
            FeedPageAnswer(
                page: FeedPageViewModel(
                    title: try members[title], items: try members[items], status: try members[status],
                    empty: try members[empty], end: try members[end]),
                nextAfterID: try members[next], prevBeforeID: try members[prev], origin: try members[origin],
                savedAt: try members[savedAt], problems: try members[problems])
        }
    }
}

extension FeedImageViewModel {
    static let codec = Codec<FeedImageViewModel>.object { object in
        let id = object.required("id", .uuid, \.id)
        let title = object.required("title", .string, \.title)
        let description = object.optional("description", .string, \.description)
        let location = object.optional("location", .string, \.location)
        let image = object.required("image", .string, \.image)
        let tags = object.optional(
            "tags", .array(of: .string), { $0.tags.isEmpty ? nil : $0.tags }, "In the author's order.")
        let publishedAt = object.optional(
            "published_at", .date, \.publishedAt, "When the authority stored the item first.")
        let hints = PictureHints.Members(in: &object) { $0.hints }
        let details = PictureDetails.Members(in: &object, isAuthored: false) { $0.details }
        let comments = object.optional("comments", .string, \.comments, "The number of comments: 3 comments.")
        let extensions = object.optional(
            "extensions", .dictionary(of: .any), { $0.extensions.isEmpty ? nil : $0.extensions },
            "Values that plugins add, by name.")
        let chips = object.optional(
            "chips", .array(of: ExtensionViewModel.codec), { $0.chips.isEmpty ? nil : $0.chips },
            "The values among them that readers see.")
        return { members throws(JSONError) in
            FeedImageViewModel(
                id: try members[id], title: try members[title], description: try members[description],
                location: try members[location], image: try members[image],
                tags: try members[tags] ?? [], publishedAt: try members[publishedAt], hints: try hints.read(members),
                details: try details.read(members),
                comments: try members[comments],
                extensions: try members[extensions] ?? [:], chips: try members[chips] ?? [])
        }
    }
}

extension ExtensionViewModel {
    static let codec = Codec<ExtensionViewModel>.object { object in
        let name = object.required("name", .string, \.name)
        let label = object.required("label", .string, \.label, "The name in the user's language.")
        let text = object.required("text", .string, \.text)
        let link = object.optional("link", .string, \.link, "A web address, or a path of the gateway.")
        return { members throws(JSONError) in
            ExtensionViewModel(
                name: try members[name], label: try members[label], text: try members[text], link: try members[link])
        }
    }
}

extension ProblemViewModel {
    static let codec = Codec<ProblemViewModel>.object { object in
        let service = object.required("service", .string, \.service)
        let kind = object.required("kind", .string, \.kind)
        let message = object.required("message", .string, \.message)
        return { members throws(JSONError) in
            ProblemViewModel(service: try members[service], kind: try members[kind], message: try members[message])
        }
    }
}
