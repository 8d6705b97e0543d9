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
        await enriched(try await feed.page(load, options), options)
    }

    func enriched(_ page: LoadedFeed, _ options: CallOptions) async -> EnrichedFeed {
        let (items, extensions) = await completed(page.items, options)
        let hinted = LoadedFeed(
            items: items, nextAfterID: page.nextAfterID, prevBeforeID: page.prevBeforeID, origin: page.origin,
            savedAt: page.savedAt, notices: page.notices)
        return EnrichedFeed(feed: hinted, extensions: extensions)
    }

    func enriched(_ item: FeedItem, _ options: CallOptions) async -> EnrichedItem {
        await enriched([item], options).first ?? EnrichedItem(item: item)
    }

    func enriched(_ items: [FeedItem], _ options: CallOptions) async -> [EnrichedItem] {
        let (items, extensions) = await completed(items, options)
        return items.map(extensions.enriched)
    }

    /// Asks all other services at the same time.
    private func completed(
        _ items: [FeedItem], _ options: CallOptions
    ) async -> (items: [FeedItem], extensions: FeedExtensions) {
        async let extensions = enriching.extensions(of: items.map(\.id), options)
        return (await pictures.hinted(items, options), await extensions)
    }
}
