import Comments
import CommentsContract
import ServiceKit

extension CommentsEvent {
    /// The event of a change.
    init(_ news: ChangeNews<CommentsChange>) {
        let change: Change =
            switch news.content {
            case .change(let change): Change(change)
            case .reset: .reset
            }
        self.init(seq: news.mark.text, change: change)
    }
}

extension CommentsEvent.Change {
    init(_ change: CommentsChange) {
        self =
            switch change {
            case .posted(let comments):
                .posted(comments.map { WatchedComment(imageID: $0.imageID, comment: Comment($0)) })
            case .removed(let ids): .removed(ids)
            }
    }
}

extension CommentsChange: WatchedChange {}
