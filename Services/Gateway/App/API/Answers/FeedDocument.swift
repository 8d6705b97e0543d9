import EdgeModel
import FeedContract
import Foundation
import JSON
import NIOCore
import RPC

/// A page of the feed as a JSON text, shared by concurrent requests.
struct FeedDocument: SharedDocument {
    let json: JSONDocument

    /// The value of the `Link` header: the adjacent pages, and of an authority its events. An edge does not see a change before it asks
    /// its upstream, so its events vouch for nothing.
    let links: String?
    let origin: AnswerOrigin
    let savedAt: Date?

    /// - Parameters:
    ///   - enriched: the answer to `load`.
    ///   - publicURL: the beginning of the image URLs and of the links.
    init(_ enriched: EnrichedFeed, of load: LoadFeed, _ publicURL: PublicURL) {
        let page = enriched.feed
        let payload = FeedPayload(
            items: enriched.items.map(publicURL.localized),
            problems: enriched.extensions.problems.map { FeedPayload.Problem(service: $0.service, kind: $0.kind) })
        json = JSONDocument(ByteBuffer(bytes: RawJSON(payload, as: FeedPayload.codec).bytes))
        links = Self.links(of: page, limit: load.limit, publicURL)
        (origin, savedAt) = (page.origin, page.savedAt)
    }

    /// The `Link` header for the adjacent pages. A page with links but without a `next` link is the last.
    private static func links(of page: LoadedFeed, limit: Int?, _ publicURL: PublicURL) -> String? {
        let next = page.nextAfterID.map { "<\(publicURL.feed(limit: limit, "after_id", $0))>; rel=\"next\"" }
        let previous = page.prevBeforeID.map { "<\(publicURL.feed(limit: limit, "before_id", $0))>; rel=\"prev\"" }
        let monitor = page.origin == .store ? publicURL.monitor(FeedEvent.path) : nil
        let links = [next, previous, monitor].compactMap(\.self)
        return links.isEmpty ? nil : links.joined(separator: ", ")
    }

    /// Only an authority's pages are cached. An edge asks its upstream for each page, so that a failure of the upstream and
    /// the age of a fallback are visible at once.
    var heldBytes: Int? { origin == .store ? json.text.storageCapacity + Self.sizeOfTheRest : nil }

    /// The approximate size of the links, the hash and the entry of a cached page. It limits the number of small pages.
    private static let sizeOfTheRest = 1_024

    var kept: FeedDocument { self }
}
