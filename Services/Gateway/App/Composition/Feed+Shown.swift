import FeedContract
import Foundation
import NIOCore
import RPC

// What readers see while the feed does not answer.

extension Feed {
    /// How long a reader waits for the feed who can be shown an earlier answer instead.
    static let patience = TimeAmount.seconds(2)

    /// How long the page of an image waits for its comments and its neighbours.
    static let patienceForParts = TimeAmount.milliseconds(500)

    /// The errors after which the same call may succeed.
    private static let passing: Set<ErrorKind> = [.unavailable, .deadlineExceeded, .overloaded, .connectivity]

    /// An item, or while the feed does not answer, the item as readers have seen it: its picture is elsewhere.
    func shownItem(_ id: UUID, _ options: CallOptions) async throws(RPCError) -> FeedItem {
        try await answer(or: shown.item(id), FeedContract.get.name, options) { options throws(RPCError) in
            try await item(id, options)
        }
    }

    /// Without an earlier answer there is nothing better than to wait: an edge may have a slow upstream.
    func answer<Answer: Sendable>(
        or earlier: Answer?, _ method: String, _ options: CallOptions,
        _ call: @escaping @Sendable (CallOptions) async throws(RPCError) -> Answer
    ) async throws(RPCError) -> Answer {
        guard let earlier else { return try await call(options) }
        do throws(RPCError) {
            let options = options.optional(within: Self.patience, now: registry.clock.now)
            return try await registry.plugin("feed").whileAnswering { () throws(RPCError) in try await call(options) }
        } catch {
            guard Self.passing.contains(error.kind) else { throw error }
            registry.noteIgnored(method, error, options.trace)
            return earlier
        }
    }
}

extension Gateway {
    /// A page for a reader: the last one that was shown, while the feed does not answer.
    /// - Parameter fallsBack: false for a reader who has a page already, and is better told why there is no newer one.
    func shownPage(
        _ load: LoadFeed, fallsBack: Bool, _ options: CallOptions
    ) async throws(RPCError) -> EnrichedFeed {
        let earlier = fallsBack ? feed.shown.page(for: load) : nil
        // Only the feed's own call decides: a page to which another service adds nothing is still the present one.
        let (page, isNew) = try await feed.answer(
            or: earlier.map { ($0, false) }, FeedContract.load.name, options
        ) { options throws(RPCError) in (try await feed.page(load, options), true) }
        let enriched = await enriched(page, options)
        if isNew { feed.shown.note(enriched.feed, for: load, now: now()) }
        return enriched
    }

    /// The same for an item.
    func shownItem(_ id: UUID, _ options: CallOptions) async throws(RPCError) -> EnrichedItem {
        await enriched(try await feed.shownItem(id, options), options)
    }
}
