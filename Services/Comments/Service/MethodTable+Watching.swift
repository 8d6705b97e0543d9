import Comments
import CommentsContract
import RPC
import ServiceKit

extension MethodTable {
    /// Implements `comments.watch` with the log of changes.
    mutating func handleWatching(_ broadcast: ChangeBroadcast<CommentsChange>) {
        handle(CommentsContract.watch) { params, _, items in
            var mark: ChangeMark? = if let since = params.since { ChangeMark(since) } else { broadcast.mark }
            while true {
                let news = try await broadcast.next(after: mark)
                try await items.send(CommentsEvent(news))
                mark = news.mark
            }
        }
    }
}

extension CommentsEvent {
    fileprivate init(_ news: ChangeNews<CommentsChange>) {
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
