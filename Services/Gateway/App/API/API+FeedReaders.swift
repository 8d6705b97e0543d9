import FeedContract
import Foundation
import JSON
import NIOCore
import Presentation
import RPC

extension API {
    /// Answers with a page of the feed as JSON Feed.
    func jsonFeed(_ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        try await forFeedReader(request, at: "feed.json", JSONFeed.contentType) { site, language, links, entries in
            let feed = JSONFeed(
                title: site.title(in: language), description: site.description(in: language), contact: site.contact,
                icon: publicURL.description + site.picturePath, language: language.rawValue,
                homePageURL: "\(publicURL)/",
                feedURL: links.feed, nextURL: links.next, items: entries)
            return ByteBuffer(bytes: RawJSON(feed, as: JSONFeed.codec).bytes)
        }
    }

    /// Answers with a page of the feed as Atom.
    func atomFeed(_ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        try await forFeedReader(request, at: "feed.atom", AtomFeed.contentType) { site, language, links, entries in
            AtomFeed(
                id: "\(publicURL)/feed.atom", title: site.title(in: language),
                description: site.description(in: language),
                contact: site.contact, icon: publicURL.description + site.picturePath, language: language.rawValue,
                homePageURL: "\(publicURL)/",
                links: links, entries: entries
            ).document
        }
    }

    private func forFeedReader(
        _ request: EndpointRequest, at path: String, _ contentType: String,
        _ document: (Site, Language, FeedLinks, [FeedEntry]) -> ByteBuffer
    ) async throws(RPCError) -> HTTPAnswer {
        let (load, reader) = (try LoadFeed(request.query), Reader(request.head, request.target))
        let now = gateway.now()
        let page = try await gateway.feed.page(load.forFeedReader, request.options).forFeedReader(load, now: now)
        let text = document(
            gateway.site, reader.language,
            FeedLinks(page, load, language: reader.chosenLanguage, at: path, publicURL),
            page.items.map { FeedEntry($0, publicURL, reader.language, now: now) })
        var answer = HTTPAnswer.document(text, as: contentType, for: request.head)
        answer.fields[.vary] = "Accept-Encoding, Accept-Language, Cookie"
        Freshness(page.origin, savedAt: page.savedAt, now: now).apply(to: &answer.fields)
        return answer
    }
}

/// The number of entries of a document without a `limit`: 50, or those of the last day, up to 100. Feed readers ask once in hours.
private enum UsualEntries {
    static let count = 50
    static let period: TimeInterval = 86_400
}

extension LoadFeed {
    /// The page from which the entries are taken.
    fileprivate var forFeedReader: LoadFeed {
        let isNewest = afterID == nil && beforeID == nil
        let count = isNewest ? LoadFeed.limits.upperBound : UsualEntries.count
        return LoadFeed(limit: limit ?? count, afterID: afterID, beforeID: beforeID)
    }
}

extension LoadedFeed {
    /// - Parameter load: the page that the request names.
    fileprivate func forFeedReader(_ load: LoadFeed, now: Date) -> LoadedFeed {
        let recent = items.prefix { $0.publishedAt.map { now.timeIntervalSince($0) <= UsualEntries.period } ?? false }
        let count = max(UsualEntries.count, recent.count)
        guard load == LoadFeed(), count < items.count else { return self }
        return LoadedFeed(
            items: Array(items.prefix(count)), nextAfterID: items[count - 1].id, prevBeforeID: prevBeforeID,
            origin: origin, savedAt: savedAt, notices: notices)
    }
}
