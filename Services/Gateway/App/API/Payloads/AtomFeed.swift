import Foundation
import JSON
import NIOCore
import Presentation

/// A page of the feed for feed readers: Atom (RFC 4287), with the links of a paged feed (RFC 5005).
struct AtomFeed: Sendable {
    static let contentType = "application/atom+xml"

    /// The same for all pages and languages: they are one feed.
    let id: String
    let title: String
    let description: String

    /// Where readers reach the operator; nil if the site does not say.
    let contact: String?

    /// The address of a square picture.
    let icon: String
    let language: String
    let homePageURL: String
    let links: FeedLinks
    let entries: [FeedEntry]

    /// The `updated` of an entry without a date; RFC 4287 requires one. The entry has no `published`, because nothing is
    /// known of that. The time of the answer would present an old item as new, at each request again. A constant never
    /// marks the entry as changed, and this one sorts it behind the items with a date: an authority's items without one
    /// were stored before all others.
    static let unknownDate = Date(timeIntervalSince1970: 0)

    var document: ByteBuffer {
        var writer = XMLWriter()
        writer.element("feed", ["xmlns": "http://www.w3.org/2005/Atom", "xml:lang": language]) { writer in
            writer.element("id", text: id)
            writer.element("title", text: title)
            writer.element("subtitle", text: description)
            writer.element("icon", text: icon)
            // Not the time of the answer: an unchanged page is the same document, with the same entity tag.
            writer.date("updated", entries.compactMap(\.publishedAt).max() ?? Self.unknownDate)
            // A feed must have an author, and the feed service knows none.
            writer.element("author") { writer in
                writer.element("name", text: title)
                guard let contact else { return }
                let address = contact.hasPrefix("mailto:") ? ("email", String(contact.dropFirst(7))) : ("uri", contact)
                writer.element(address.0, text: address.1)
            }
            writer.link("alternate", "text/html", homePageURL)
            writer.link("self", Self.contentType, links.current)
            writer.link("first", Self.contentType, links.first)
            if let previous = links.previous { writer.link("previous", Self.contentType, previous) }
            if let next = links.next { writer.link("next", Self.contentType, next) }
            for entry in entries { entry.write(to: &writer) }
        }
        return ByteBuffer(string: writer.text)
    }
}

extension FeedEntry {
    fileprivate func write(to writer: inout XMLWriter) {
        writer.element("entry") { writer in
            writer.element("id", text: id)
            writer.element("title", text: title)
            if let publishedAt { writer.date("published", publishedAt) }
            writer.date("updated", publishedAt ?? AtomFeed.unknownDate)
            if let credit = details.credit { writer.element("author") { $0.element("name", text: credit) } }
            if let license = details.license {
                writer.element("rights", text: license)
                // RFC 4946.
                if let url = PictureLicense.url(of: license) {
                    writer.element("link", ["rel": "license", "href": url])
                }
            }
            if let source = details.source { writer.element("link", ["rel": "via", "href": source]) }
            if details.isSensitive { writer.element("category", ["term": "sensitive"]) }
            for tag in tags { writer.element("category", ["term": tag]) }
            writer.link("alternate", "text/html", url)
            if !text.isEmpty { writer.element("summary", text: text) }
            writer.element("content", ["type": "html"], text: html)
        }
    }
}

extension XMLWriter {
    fileprivate mutating func link(_ relation: String, _ type: String, _ url: String) {
        element("link", ["rel": relation, "type": type, "href": url])
    }

    fileprivate mutating func date(_ name: String, _ date: Date) {
        element(name, text: WireDate.format(date))
    }
}
