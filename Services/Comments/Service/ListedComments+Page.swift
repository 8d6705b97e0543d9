import Comments
import CommentsContract
import EdgeModel
import Foundation

/// Conversions from the feature's types to the contract's.
extension ListedComments {
    init(_ page: CommentsPage, origin: AnswerOrigin, savedAt: Date? = nil, notices: [AnswerNotice]? = nil) {
        self.init(
            items: page.items.map(Comment.init), nextAfterID: page.nextAfterID, origin: origin, savedAt: savedAt,
            notices: notices)
    }
}

extension CommentLists {
    init(_ first: FirstPages) {
        self.init(
            lists: first.pages.map { imageID, page in
                CommentList(imageID: imageID, items: page.items.map(Comment.init), nextAfterID: page.nextAfterID)
            },
            rest: first.rest.isEmpty ? nil : first.rest)
    }
}

extension Comment {
    init(_ comment: ImageComment) {
        self.init(
            id: comment.id, message: comment.message, createdAt: comment.createdAt,
            author: Author(username: comment.username))
    }
}
