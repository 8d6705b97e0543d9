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
        let byID = Dictionary(items.map { ($0.item.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.found = found
        hits = found.items.compactMap { hit in byID[hit.imageID].map { Hit(item: $0, found: hit) } }
        self.isWhole = isWhole
    }
}

extension Gateway {
    /// - Throws: `unavailable` while the plugin does not answer.
    func search(_ params: SearchItems, _ options: CallOptions) async throws(RPCError) -> SearchAnswer {
        let found = try await registry.plugin(SearchClient.plugin).call(SearchContract.items, params, options)
        return SearchAnswer(found, try await items(found.items.map(\.imageID), options))
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
        let shown = ids.compactMap(feed.shown.item).map { EnrichedItem(item: $0) }
        let earlier = SearchAnswer(found, shown, isWhole: false)
        return try await feed.answer(or: earlier, FeedContract.items.name, options) { options throws(RPCError) in
            SearchAnswer(found, try await items(ids, options))
        }
    }

    func suggestions(_ params: Suggest, _ options: CallOptions) async throws(RPCError) -> Suggestions {
        try await registry.plugin(SearchClient.plugin).call(SearchContract.suggest, params, options)
    }

    /// The items of the feed with what other services know of them. Search may still have items that were just removed, and an edge
    /// items that it can no longer answer for; those are left out.
    private func items(_ ids: [UUID], _ options: CallOptions) async throws(RPCError) -> [EnrichedItem] {
        let items = try await feed.items(ids, options)
        async let extensions = enriching.extensions(of: items.map(\.id), options)
        let hinted = await pictures.hinted(items, options)
        let values = await extensions
        return hinted.map(values.enriched)
    }
}
