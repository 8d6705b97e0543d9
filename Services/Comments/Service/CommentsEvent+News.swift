import Comments
import CommentsContract
import ServiceKit

extension CommentsEvent {
    /// The event of a change.
    init(_ news: ChangeNews<CommentsChange>) {
        let change: Change =
            switch news.content {
            case .change(.posted(let comments)):
                .posted(comments.map { WatchedComment(imageID: $0.imageID, comment: Comment($0)) })
            case .change(.removed(let ids)): .removed(ids)
            case .reset: .reset
            }
        self.init(seq: news.mark.text, change: change)
    }
}

extension CommentsChange: WatchedChange {}
