import Feed
import FeedContract
import ServiceKit

extension FeedEvent {
    /// The event of a change.
    init(_ news: ChangeNews<FeedChange>) {
        let change: Change =
            switch news.content {
            case .change(let change): Change(change)
            case .reset: .reset
            }
        self.init(seq: news.mark.text, change: change)
    }
}

extension FeedEvent.Change {
    init(_ change: FeedChange) {
        self =
            switch change {
            case .published(let images): .published(images.map(FeedItem.init))
            case .removed(let ids): .removed(ids)
            case .found(let images): .found(images.map(FeedItem.init))
            case .forgotten(let ids): .forgotten(ids)
            }
    }
}

extension FeedChange: WatchedChange {}
