import FeedContract
import Foundation
import HTTPTypes
import JSON
import RPC

extension API {
    /// Answers with a page of the feed. Its image URLs point to this deployment, which can serve cached images while
    /// their origin servers are down.
    func feed(
        _ load: LoadFeed, _ request: HTTPRequest, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let recent = gateway.feed.recent
        let id = FeedDocument.ID(load: load, publicURL: publicURL)
        let document = try await recent.document(of: id, isFresh: request.asksForFreshAnswer) { () throws(RPCError) in
            FeedDocument(try await gateway.page(load, options), of: load, publicURL)
        }
        var answer = try await answer(document.json, from: recent, for: request)
        answer.fields["Link"] = document.links
        Freshness(document.origin, savedAt: document.savedAt, now: gateway.now()).apply(to: &answer.fields)
        return answer
    }

    /// Answers with an item of the feed.
    func item(_ id: UUID, _ request: HTTPRequest, _ options: CallOptions) async throws(RPCError) -> HTTPAnswer {
        let loaded = try await gateway.feed.loadedItem(id, options)
        let item = publicURL.localized(await gateway.enriched(loaded.item, options))
        var answer = HTTPAnswer.document(RawJSON(item, as: EnrichedItem.codec), for: request)
        Freshness(loaded.origin, savedAt: loaded.savedAt, now: gateway.now()).apply(to: &answer.fields)
        return answer
    }
}
