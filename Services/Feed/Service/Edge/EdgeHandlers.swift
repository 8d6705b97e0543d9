import EdgeKit
import Feed
import FeedContract
import RPC
import ServiceKit

/// Implements the feed contract on an edge.
struct EdgeHandlers {
    let feed: EdgeFeed
    let validation: CacheValidation

    var table: MethodTable {
        var table = MethodTable(FeedContract.contract)
        table.handle(FeedContract.load) { params, context in
            try await feed.load(
                params.limit ?? LoadFeed.defaultLimit, at: FeedCursor(params), within: context.timeLeft)
        }
        table.handle(FeedContract.get) { params, context in
            try await feed.item(params.id, within: context.timeLeft)
        }
        table.handle(FeedContract.items) { params, _ in
            var items: [FeedItem] = []
            for id in params.ids {
                if let known = try await feed.knownItem(id) { items.append(FeedItem(known.image)) }
            }
            return SelectedItems(items: items)
        }
        table.handle(FeedContract.find) { params, _ in
            let items = try await feed.cache.items(
                withIDs: params.prefix.ids, limit: MatchingItems.maximumCount, now: feed.now())
            return MatchingItems(items: items.map(FeedItem.init))
        }
        table.handle(FeedContract.count) { _, _ in Count(count: try await feed.cache.count()) }
        table.handle(FeedContract.publish) { _, _ in throw readOnly }
        table.handle(FeedContract.remove) { _, _ in throw readOnly }
        table.handle(FeedContract.validate) { _, _ in Validation(outcome: try await validation.validate()) }
        table.handle(FeedContract.watch, watching: feed.broadcast, since: \.since) { FeedEvent($0) }
        return table
    }

    private var readOnly: RPCError {
        RPCError(.readOnly, "this deployment is a read-only edge; publish and remove at its upstream", begun: false)
    }
}
