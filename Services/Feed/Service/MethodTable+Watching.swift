import Feed
import FeedContract
import RPC

extension MethodTable {
    /// Implements `feed.watch` with the log of changes.
    mutating func handleWatching(_ broadcast: FeedBroadcast) {
        handle(FeedContract.watch) { params, _, items in
            var mark: FeedMark? = if let since = params.since { FeedMark(since) } else { broadcast.mark }
            while true {
                let news = try await broadcast.next(after: mark)
                try await items.send(FeedEvent(news))
                mark = news.mark
            }
        }
    }
}

extension FeedEvent {
    fileprivate init(_ news: FeedNews) {
        let change: Change =
            switch news.content {
            case .change(.published(let images)): .published(images.map(FeedItem.init))
            case .change(.removed(let ids)): .removed(ids)
            case .reset: .reset
            }
        self.init(seq: news.mark.text, change: change)
    }
}
