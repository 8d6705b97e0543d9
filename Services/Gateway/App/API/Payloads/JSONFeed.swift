import FeedContract
import Foundation
import JSON
import Presentation
import RPC

/// A page of the feed for feed readers: JSON Feed 1.1.
struct JSONFeed: Sendable {
    let title: String
    let language: String
    let homePageURL: String
    let feedURL: String

    /// The next page; nil at the end.
    let nextURL: String?
    let items: [Item]

    struct Item: Sendable {
        let id: String
        let url: String
        let title: String
        let html: String
        let text: String
        let image: String
    }

    /// The version member, and the media type of the document.
    private static let version = "https://jsonfeed.org/version/1.1"
    static let contentType = "application/feed+json"

    static let codec = Codec<JSONFeed>.object { object in
        _ = object.required("version", .string) { _ in version }
        let title = object.required("title", .string, \.title)
        let language = object.required("language", .string, \.language)
        let home = object.required("home_page_url", .string, \.homePageURL)
        let feed = object.required("feed_url", .string, \.feedURL)
        let next = object.optional("next_url", .string, \.nextURL)
        let items = object.required("items", .array(of: Item.codec), \.items)
        return { members throws(JSONError) in
            JSONFeed(
                title: try members[title], language: try members[language], homePageURL: try members[home],
                feedURL: try members[feed], nextURL: try members[next], items: try members[items])
        }
    }
}

extension JSONFeed.Item {
    static let codec = Codec<JSONFeed.Item>.object { object in
        let id = object.required("id", .string, \.id)
        let url = object.required("url", .string, \.url)
        let title = object.required("title", .string, \.title)
        let html = object.required("content_html", .string, \.html)
        let text = object.required("content_text", .string, \.text)
        let image = object.required("image", .string, \.image)
        _ = object.required("attachments", .array(of: attachment)) { [$0.image] }
        return { members throws(JSONError) in
            JSONFeed.Item(
                id: try members[id], url: try members[url], title: try members[title], html: try members[html],
                text: try members[text], image: try members[image])
        }
    }

    private static let attachment = Codec<String>.object { object in
        let url = object.required("url", .string, \.self)
        // The feed does not know the type of the bytes.
        _ = object.required("mime_type", .string) { _ in "image/*" }
        return { members throws(JSONError) in try members[url] }
    }

    /// An item of the feed with its picture above its text.
    init(_ item: FeedItem, _ publicURL: PublicURL, _ language: Language) {
        let view = FeedImagePresenter.viewModel(item, language)
        let (image, escape) = (publicURL.imageData(item.id), Markup().escapeText)
        let text = [view.description, view.location].compactMap(\.self).joined(separator: "\n\n")
        let paragraphs = [view.description, view.location].compactMap(\.self).map {
            "<p dir=\"auto\">\(escape($0))</p>"
        }
        self.init(
            id: "urn:uuid:\(item.id.uuidString.lowercased())", url: publicURL.page(of: item.id), title: view.title,
            html: "<p><img src=\"\(escape(image))\" alt=\"\(escape(view.title))\"></p>" + paragraphs.joined(),
            text: text, image: image)
    }
}

extension API {
    /// Answers with a page of the feed for feed readers.
    func jsonFeed(_ request: EndpointRequest) async throws(RPCError) -> HTTPAnswer {
        let (load, reader) = (try LoadFeed(request.query), Reader(request.head, request.target))
        let page = try await gateway.feed.page(load, request.options)
        let feed = JSONFeed(
            title: Texts(reader.language)[.feedTitle], language: reader.language.rawValue,
            homePageURL: "\(publicURL)/", feedURL: "\(publicURL)/feed.json",
            nextURL: page.nextAfterID.map {
                publicURL.page(at: "feed.json", limit: load.limit, "after_id", $0)
            },
            items: page.items.map { JSONFeed.Item($0, publicURL, reader.language) })
        var answer = HTTPAnswer.document(RawJSON(feed, as: JSONFeed.codec), for: request.head)
        if answer.status == .ok { answer.fields[.contentType] = JSONFeed.contentType }
        answer.fields[.vary] = "Accept-Encoding, Accept-Language, Cookie"
        Freshness(page.origin, savedAt: page.savedAt, now: gateway.now()).apply(to: &answer.fields)
        return answer
    }
}
