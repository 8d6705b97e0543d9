import CommentsContract
import EdgeModel
import Foundation
import JSON
import Presentation
import RPC

/// Parameters of `gateway.comments`: those of `comments.list`, and the user's language.
public struct CommentsRequest: Sendable, Equatable {
    public let imageID: UUID
    public let limit: Int?
    public let afterID: UUID?

    /// A language tag like `pt-BR`, or the name of a POSIX locale.
    public let locale: String?

    public init(imageID: UUID, limit: Int? = nil, afterID: UUID? = nil, locale: String? = nil) {
        self.imageID = imageID
        self.limit = limit
        self.afterID = afterID
        self.locale = locale
    }

    public static let codec = Codec<CommentsRequest>.object { object in
        let imageID = object.required("image_id", .uuid, \.imageID)
        let limit = object.optional("limit", .integer(ListComments.limits), \.limit)
        let afterID = object.optional("after_id", .uuid, \.afterID)
        let locale = object.optional(
            "locale", .string, \.locale, "en, pt-BR, el or es, matched by language; default en.")
        return { members throws(JSONError) in
            CommentsRequest(
                imageID: try members[imageID], limit: try members[limit], afterID: try members[afterID],
                locale: try members[locale])
        }
    }
}

/// The answer of `gateway.comments`.
public struct CommentsAnswer: Sendable, Equatable {
    public let comments: CommentsViewModel
    public let nextAfterID: UUID?
    public let origin: AnswerOrigin

    /// When the list was fetched from the upstream; nil on an authority.
    public let savedAt: Date?

    /// Parts of the answer that are missing, because their service failed.
    public let problems: [ProblemViewModel]

    public init(
        comments: CommentsViewModel, nextAfterID: UUID?, origin: AnswerOrigin, savedAt: Date?,
        problems: [ProblemViewModel]
    ) {
        self.comments = comments
        self.nextAfterID = nextAfterID
        self.origin = origin
        self.savedAt = savedAt
        self.problems = problems
    }

    public static let codec = Codec<CommentsAnswer>.object { object in
        let title = object.required("title", .string, \.comments.title)
        let items = object.required("items", .array(of: CommentViewModel.codec), \.comments.items)
        let next = object.optional("next_after_id", .uuid, \.nextAfterID)
        let origin = object.required("origin", .oneOf, \.origin)
        let savedAt = object.optional("saved_at", .date, \.savedAt)
        let empty = object.optional("empty", .string, \.comments.empty, "The text to show in place of an empty list.")
        let status = object.optional("status", .string, \.comments.status, "How old the list is.")
        let problems = object.required("problems", .array(of: ProblemViewModel.codec), \.problems)
        return { members throws(JSONError) in
            CommentsAnswer(
                comments: CommentsViewModel(
                    title: try members[title], items: try members[items], empty: try members[empty],
                    status: try members[status]),
                nextAfterID: try members[next], origin: try members[origin], savedAt: try members[savedAt],
                problems: try members[problems])
        }
    }
}

extension CommentViewModel {
    static let codec = Codec<CommentViewModel>.object { object in
        let id = object.required("id", .uuid, \.id)
        let message = object.required("message", .string, \.message)
        let username = object.required("username", .string, \.username)
        let date = object.required("date", .string, \.date, "Relative, in the reader's language.")
        let createdAt = object.required("created_at", .date, \.createdAt)
        return { members throws(JSONError) in
            CommentViewModel(
                id: try members[id], message: try members[message], username: try members[username],
                date: try members[date], createdAt: try members[createdAt])
        }
    }
}

/// `gateway.post_comment` has the parameters and the answer of `comments.post`.
public typealias PostCommentRequest = PostComment

/// The comment as it was stored.
public typealias PostedComment = Comment
