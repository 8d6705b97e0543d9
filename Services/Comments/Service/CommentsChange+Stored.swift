import Comments
import CommentsContract
import JSON

extension CommentsChange {
    /// As in the table of changes: an event of `comments.watch` without its `seq`.
    var stored: RawJSON { RawJSON(CommentsEvent(seq: "", change: .init(self)), as: CommentsEvent.codec) }

    init(stored: RawJSON) throws(JSONError) {
        switch try stored.read(as: CommentsEvent.codec).change {
        case .posted(let comments): self = .posted(comments.map(ImageComment.init))
        case .removed(let ids): self = .removed(ids)
        case .reset: throw .refused("a reset is no change")
        }
    }
}

extension ImageComment {
    fileprivate init(_ watched: WatchedComment) {
        let comment = watched.comment
        self.init(
            id: comment.id, imageID: watched.imageID, message: comment.message, createdAt: comment.createdAt,
            username: comment.author.username)
    }
}
