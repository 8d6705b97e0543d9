import FeedContract
import Foundation
import JSON
import RPC
import SearchContract

/// A page of results, with the items of the feed.
struct SearchAnswer: Sendable {
    let found: FoundItems

    /// Without the items that the feed does not have any more, or cannot answer for.
    let hits: [Hit]

    /// Whether the feed has answered. Otherwise the hits are those that readers have seen.
    let isWhole: Bool

    /// The number of results on this page that the gateway cannot show while the feed does not answer.
    var missing: Int { isWhole ? 0 : found.items.count - hits.count }

    struct Hit: Sendable {
        let item: EnrichedItem
        let found: FoundItem
    }

    init(_ found: FoundItems, _ items: [EnrichedItem], isWhole: Bool = true) {
        // No page has an item twice, whatever the plugin answers.
        var byID = Dictionary(items.map { ($0.item.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.found = found
        hits = found.items.compactMap { hit in
            byID.removeValue(forKey: hit.imageID).map { Hit(item: $0, found: hit) }
        }
        self.isWhole = isWhole
    }
}

extension Gateway {
    /// - Throws: `unavailable` while the plugin does not answer.
    func search(_ params: SearchItems, _ options: CallOptions) async throws(RPCError) -> SearchAnswer {
        let found = try await registry.plugin(SearchClient.plugin).call(SearchContract.items, params, options)
        let items = try await feed.items(found.items.map(\.imageID), options)
        return SearchAnswer(found, await enriched(items, options))
    }

    /// The results for a reader, who waits for search, and then for the feed, no longer than for a page of the feed. While the feed does
    /// not answer, those that readers have seen elsewhere, which may be none.
    func shownResults(_ params: SearchItems, _ options: CallOptions) async throws(RPCError) -> SearchAnswer {
        let options = options.optional(within: Feed.patience, now: registry.clock.now)
        let search = try registry.plugin(SearchClient.plugin)
        let found = try await search.whileAnswering { () throws(RPCError) in
            try await search.call(SearchContract.items, params, options)
        }
        let ids = found.items.map(\.imageID)
        let (items, isWhole) = try await feed.answer(
            or: (ids.compactMap(feed.shown.item), false), FeedContract.items.name, options
        ) { options throws(RPCError) in (try await feed.items(ids, options), true) }
        return SearchAnswer(found, await enriched(items, options), isWhole: isWhole)
    }

    func suggestions(_ params: Suggest, _ options: CallOptions) async throws(RPCError) -> Suggestions {
        try await registry.plugin(SearchClient.plugin).call(SearchContract.suggest, params, options)
    }
}
