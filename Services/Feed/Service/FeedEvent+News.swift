import Feed
import FeedContract
import ServiceKit

extension FeedEvent {
    /// The event of a change.
    init(_ news: ChangeNews<FeedChange>) {
        let change: Change =
            switch news.content {
            case .change(.published(let images)): .published(images.map(FeedItem.init))
            case .change(.removed(let ids)): .removed(ids)
            case .change(.found(let images)): .found(images.map(FeedItem.init))
            case .change(.forgotten(let ids)): .forgotten(ids)
            case .reset: .reset
            }
        self.init(seq: news.mark.text, change: change)
    }
}

extension FeedChange: WatchedChange {}
