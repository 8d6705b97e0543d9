import CommentsContract
import Foundation
import RPC

/// `gateway.post_comment` takes what `comments.post` takes and answers what it answers.
typealias PostCommentRequest = PostComment
typealias PostedComment = Comment
