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
        let page = try await gateway.page(load, options)
        let payload = FeedPayload(items: page.items.map(publicURL.localized))
        var answer = HTTPAnswer.document(RawJSON(payload, as: FeedPayload.codec), for: request)
        answer.fields["Link"] = links(of: page, limit: load.limit)
        Freshness(page.origin, savedAt: page.savedAt, now: gateway.now()).apply(to: &answer.fields)
        return answer
    }

    /// Answers with an item of the feed.
    func item(_ id: UUID, _ request: HTTPRequest, _ options: CallOptions) async throws(RPCError) -> HTTPAnswer {
        let item = publicURL.localized(try await gateway.item(id, options))
        return .document(RawJSON(item, as: FeedItem.codec), for: request)
    }

    /// The `Link` header for the adjacent pages. A page with links but without a `next` link is the last.
    private func links(of page: LoadedFeed, limit: Int?) -> String? {
        let next = page.nextAfterID.map { "<\(publicURL.feed(limit: limit, "after_id", $0))>; rel=\"next\"" }
        let previous = page.prevBeforeID.map { "<\(publicURL.feed(limit: limit, "before_id", $0))>; rel=\"prev\"" }
        let links = [next, previous].compactMap(\.self)
        return links.isEmpty ? nil : links.joined(separator: ", ")
    }
}
