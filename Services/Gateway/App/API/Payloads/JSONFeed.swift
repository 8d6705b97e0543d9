import EdgeModel
import Foundation
import JSON

/// A page of the feed for feed readers: JSON Feed 1.1.
struct JSONFeed: Sendable {
    let title: String
    let description: String

    /// Where readers reach the operator; nil if the site does not say.
    let contact: String?

    /// The address of a square picture.
    let icon: String
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
        let description = object.required("description", .string, \.description)
        let icon = object.required("icon", .string, \.icon)
        _ = object.required("favicon", .string, \.icon)
        let contact = object.optional(
            "authors", .array(of: operatorCodec), { feed in feed.contact.map { [(feed.title, $0)] } })
        let language = object.required("language", .string, \.language)
        let home = object.required("home_page_url", .string, \.homePageURL)
        let feed = object.required("feed_url", .string, \.feedURL)
        let next = object.optional("next_url", .string, \.nextURL)
        let items = object.required("items", .array(of: FeedEntry.jsonCodec), \.items)
        return { members throws(JSONError) in
            JSONFeed(
                title: try members[title], description: try members[description],
                contact: try members[contact]?.first?.url, icon: try members[icon], language: try members[language],
                homePageURL: try members[home], feedURL: try members[feed], nextURL: try members[next],
                items: try members[items])
        }
    }

    private static let operatorCodec = Codec<(name: String, url: String)>.object { object in
        let name = object.required("name", .string, \.name)
        let url = object.required("url", .string, \.url)
        return { members throws(JSONError) in (try members[name], try members[url]) }
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
        let image = object.optional("image", .string, { $0.details.isSensitive ? nil : $0.image })
        let publishedAt = object.optional("date_published", .date, \.publishedAt)
        let tags = object.optional("tags", .array(of: .string), { $0.tags.isEmpty ? nil : $0.tags })
        let authors = object.optional(
            "authors", .array(of: author), { $0.details.credit.map { [$0] } })
        let source = object.optional("external_url", .string, \.details.source)
        let details = object.optional("_image_feed", PictureDetails.codec, { $0.details.isEmpty ? nil : $0.details })
        return { members throws(JSONError) in
            _ = (try members[authors], try members[source])
            return FeedEntry(
                id: try members[id], url: try members[url], title: try members[title], text: try members[text],
                html: try members[html], image: try members[image] ?? "", publishedAt: try members[publishedAt],
                tags: try members[tags] ?? [], details: try members[details] ?? PictureDetails())
        }
    }

    /// An author by name.
    private static let author = Codec<String>.object { object in
        let name = object.required("name", .string, \.self)
        return { members throws(JSONError) in try members[name] }
    }
}
