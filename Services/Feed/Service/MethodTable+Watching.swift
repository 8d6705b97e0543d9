import Feed
import FeedContract
import RPC
import ServiceKit

extension MethodTable {
    /// Implements `feed.watch` with the log of changes.
    mutating func handleWatching(_ broadcast: ChangeBroadcast<FeedChange>) {
        handle(FeedContract.watch) { params, _, items in
            var mark: ChangeMark? = if let since = params.since { ChangeMark(since) } else { broadcast.mark }
            while true {
                let news = try await broadcast.next(after: mark)
                try await items.send(FeedEvent(news))
                mark = news.mark
            }
        }
    }
}

extension FeedEvent {
    fileprivate init(_ news: ChangeNews<FeedChange>) {
        let change: Change =
            switch news.content {
            case .change(.published(let images)): .published(images.map(FeedItem.init))
            case .change(.removed(let ids)): .removed(ids)
            case .reset: .reset
            }
        self.init(seq: news.mark.text, change: change)
    }
}

extension FeedChange: WatchedChange {}
