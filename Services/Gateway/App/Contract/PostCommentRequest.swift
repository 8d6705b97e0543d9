import CommentsContract
import Foundation
import RPC

/// `gateway.post_comment` has the parameters and the answer of `comments.post`.
typealias PostCommentRequest = PostComment
typealias PostedComment = Comment
