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

    struct Hit: Sendable {
        let item: EnrichedItem
        let found: FoundItem
    }
}

extension Gateway {
    /// - Throws: `unavailable` while the plugin does not answer.
    func search(_ params: SearchItems, _ options: CallOptions) async throws(RPCError) -> SearchAnswer {
        let found = try await registry.plugin(SearchClient.plugin).call(SearchContract.items, params, options)
        let items = try await items(found.items.map(\.imageID), options)
        return SearchAnswer(
            found: found,
            hits: found.items.compactMap { hit in items[hit.imageID].map { SearchAnswer.Hit(item: $0, found: hit) } })
    }

    func suggestions(_ params: Suggest, _ options: CallOptions) async throws(RPCError) -> Suggestions {
        try await registry.plugin(SearchClient.plugin).call(SearchContract.suggest, params, options)
    }

    /// The items of the feed with what other services know of them. Search may still have items that were just removed, and an edge
    /// items that it can no longer answer for; those are left out.
    private func items(_ ids: [UUID], _ options: CallOptions) async throws(RPCError) -> [UUID: EnrichedItem] {
        let items = try await feed.items(ids, options)
        async let extensions = enriching.extensions(of: items.map(\.id), options)
        let hinted = await pictures.hinted(items, options)
        let values = await extensions
        return Dictionary(
            hinted.map { ($0.id, values.enriched($0)) },
            uniquingKeysWith: { first, _ in first })
    }
}
