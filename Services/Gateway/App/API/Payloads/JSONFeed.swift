import Foundation
import JSON

/// A page of the feed for feed readers: JSON Feed 1.1.
struct JSONFeed: Sendable {
    let title: String
    let language: String
    let homePageURL: String
    let feedURL: String

    /// The next page; nil at the end.
    let nextURL: String?
    let items: [FeedEntry]

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
        let items = object.required("items", .array(of: FeedEntry.jsonCodec), \.items)
        return { members throws(JSONError) in
            JSONFeed(
                title: try members[title], language: try members[language], homePageURL: try members[home],
                feedURL: try members[feed], nextURL: try members[next], items: try members[items])
        }
    }
}

extension FeedEntry {
    /// The codec of an item of a JSON Feed.
    fileprivate static let jsonCodec = Codec<FeedEntry>.object { object in
        let id = object.required("id", .string, \.id)
        let url = object.required("url", .string, \.url)
        let title = object.required("title", .string, \.title)
        let html = object.required("content_html", .string, \.html)
        let text = object.required("content_text", .string, \.text)
        let image = object.required("image", .string, \.image)
        let publishedAt = object.optional("date_published", .date, \.publishedAt)
        let tags = object.optional("tags", .array(of: .string), { $0.tags.isEmpty ? nil : $0.tags })
        return { members throws(JSONError) in
            FeedEntry(
                id: try members[id], url: try members[url], title: try members[title], text: try members[text],
                html: try members[html], image: try members[image], publishedAt: try members[publishedAt],
                tags: try members[tags] ?? [])
        }
    }
}
