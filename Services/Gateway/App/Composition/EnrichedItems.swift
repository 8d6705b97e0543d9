import FeedContract
import Foundation
import JSON
import Presentation
import RPC

// Items of the feed with everything that other services know about them: the sizes and placeholders of their pictures, and the
// extensions of plugins.

/// An item with the values that plugins add to it.
struct EnrichedItem: Sendable {
    let item: FeedItem

    /// By the names of the extensions.
    var extensions: [String: RawJSON] = [:]

    /// How readers see the values; a name without a style has none of its own.
    var styles: [String: ExtensionStyle] = [:]
}

/// A page of the feed with the extensions of its items.
struct EnrichedFeed: Sendable {
    let feed: LoadedFeed
    var extensions = FeedExtensions()

    var items: [EnrichedItem] { feed.items.map(extensions.enriched) }
}

extension Gateway {
    /// A page of the feed.
    func page(_ load: LoadFeed, _ options: CallOptions) async throws(RPCError) -> EnrichedFeed {
        let page = try await feed.page(load, options)
        async let extensions = enriching.extensions(of: page.items.map(\.id), options)
        let hinted = LoadedFeed(
            items: await pictures.hinted(page.items, options), nextAfterID: page.nextAfterID,
            prevBeforeID: page.prevBeforeID, origin: page.origin, savedAt: page.savedAt, notices: page.notices)
        return EnrichedFeed(feed: hinted, extensions: await extensions)
    }

    /// An item of the feed.
    /// - Throws: `not_found` when the feed has no such item.
    func item(_ id: UUID, _ options: CallOptions) async throws(RPCError) -> EnrichedItem {
        await enriched(try await feed.item(id, options), options)
    }

    func enriched(_ item: FeedItem, _ options: CallOptions) async -> EnrichedItem {
        async let extensions = enriching.extensions(of: [item.id], options)
        let hinted = await pictures.hinted([item], options).first ?? item
        return await extensions.enriched(hinted)
    }
}
