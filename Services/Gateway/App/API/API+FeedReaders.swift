import FeedContract
import JSON
import NIOCore
import Presentation
import RPC

extension API {
    /// Answers with a page of the feed as JSON Feed.
    func jsonFeed(_ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        try await forFeedReader(request, at: "feed.json", JSONFeed.contentType) { title, language, links, entries in
            let feed = JSONFeed(
                title: title, language: language.rawValue, homePageURL: "\(publicURL)/",
                feedURL: links.feed, nextURL: links.next, items: entries)
            return ByteBuffer(bytes: RawJSON(feed, as: JSONFeed.codec).bytes)
        }
    }

    /// Answers with a page of the feed as Atom.
    func atomFeed(_ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        try await forFeedReader(request, at: "feed.atom", AtomFeed.contentType) { title, language, links, entries in
            AtomFeed(
                id: "\(publicURL)/feed.atom", title: title, language: language.rawValue, homePageURL: "\(publicURL)/",
                links: links, entries: entries
            ).document
        }
    }

    private func forFeedReader(
        _ request: EndpointRequest, at path: String, _ contentType: String,
        _ document: (_ title: String, Language, FeedLinks, [FeedEntry]) -> ByteBuffer
    ) async throws(RPCError) -> HTTPAnswer {
        let (load, reader) = (try LoadFeed(request.query), Reader(request.head, request.target))
        let page = try await gateway.feed.page(load, request.options)
        let text = document(
            Texts(reader.language)[.feedTitle], reader.language,
            FeedLinks(page, load, language: reader.chosenLanguage, at: path, publicURL),
            page.items.map { FeedEntry($0, publicURL, reader.language) })
        var answer = HTTPAnswer.document(text, as: contentType, for: request.head)
        answer.fields[.vary] = "Accept-Encoding, Accept-Language, Cookie"
        Freshness(page.origin, savedAt: page.savedAt, now: gateway.now()).apply(to: &answer.fields)
        return answer
    }
}
