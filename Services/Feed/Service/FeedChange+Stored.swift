import Feed
import FeedContract
import JSON

extension FeedChange {
    /// As in the table of changes: an event of `feed.watch` without its `seq`.
    var stored: RawJSON { RawJSON(FeedEvent(seq: "", change: .init(self)), as: FeedEvent.codec) }

    init(stored: RawJSON) throws(JSONError) {
        switch try stored.read(as: FeedEvent.codec).change {
        case .published(let items): self = .published(items.map(FeedImage.init))
        case .removed(let ids): self = .removed(ids)
        case .found(let items): self = .found(items.map(FeedImage.init))
        case .forgotten(let ids): self = .forgotten(ids)
        case .reset: throw .refused("a reset is no change")
        }
    }
}
