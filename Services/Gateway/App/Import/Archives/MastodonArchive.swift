import EdgeModel
import Foundation
import JSON

/// The pictures of a Mastodon account's archive: the unpacked file with `outbox.json` and `media_attachments`.
enum MastodonArchive {
    static let listName = "outbox.json"

    /// The pictures, those of the newest post first. A post's text is the description of each of its pictures; a post without
    /// a text has the pictures' own descriptions. Members of another form than expected count as absent.
    ///
    /// The archive also has posts for followers and private messages. Only what everybody could read is published.
    ///
    /// - Parameter hasFile: whether the archive has a file.
    /// - Returns: nil if the text is not an archive's.
    static func entries(_ outbox: JSONValue, hasFile: (String) -> Bool) -> [ImportEntry]? {
        guard let activities = outbox["orderedItems"]?.elements else { return nil }
        // Boosts of others' posts have only an address.
        let posts = activities.compactMap { activity -> (date: String, post: JSONValue)? in
            guard activity["type"]?.text == "Create", let post = activity["object"] else { return nil }
            return (post["published"]?.text ?? "", post)
        }
        // The archive begins with the oldest post. All dates are in UTC and in the same form.
        return posts.enumerated().sorted { ($1.element.date, $1.offset) < ($0.element.date, $0.offset) }
            .flatMap { entries(of: $0.element.post, hasFile) }
    }

    private static func entries(of post: JSONValue, _ hasFile: (String) -> Bool) -> [ImportEntry] {
        let text = text(of: post)
        let readers = ["to", "cc"].compactMap { post[$0] }.flatMap { ($0.elements ?? [$0]).compactMap(\.text) }
        let isPublic = readers.contains { everybody.contains($0) }
        return (post["attachment"]?.elements ?? []).map { attachment in
            let file = attachment["url"]?.text.map { self.file(at: $0, hasFile) }
            let type = attachment["mediaType"]?.text ?? ""
            let refusal: String? =
                if !isPublic {
                    "its post is not public"
                } else if !type.isEmpty, !type.hasPrefix("image/") {
                    "it is not a picture, but \(type)"
                } else if file == nil {
                    "it has an attachment without a url"
                } else {
                    nil
                }
            let words = [text, attachment["name"]?.text].compactMap(\.self).first { !$0.isEmpty }
            return ImportEntry(
                file: file ?? post["id"]?.text ?? "a post", id: nil, description: words, location: nil, comments: [],
                tags: tags(of: post), refusal: refusal)
        }
    }

    /// The hashtags of a post, as many as an item can have.
    private static func tags(of post: JSONValue) -> [String] {
        let names = (post["tag"]?.elements ?? []).filter { $0["type"]?.text == "Hashtag" }
            .compactMap { $0["name"]?.text.map { String($0.drop { $0 == "#" }) } }
        let fitting = ItemTags.stored(names).filter { ItemTags.length.contains($0.unicodeScalars.count) }
        return Array(fitting.prefix(ItemTags.maximumCount))
    }

    /// The addresses of all readers.
    private static let everybody = ["https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"]

    /// The content warning, if there is one, and the text.
    private static func text(of post: JSONValue) -> String {
        [post["summary"]?.text, post["content"]?.text.map(HTMLText.plain)]
            .compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: "\n\n")
    }

    /// The file of an attachment: its path in the archive may follow that of the server.
    private static func file(at url: String, _ hasFile: (String) -> Bool) -> String {
        let path = String(url.drop { $0 == "/" })
        guard !hasFile(path), let folder = path.range(of: "media_attachments/") else { return path }
        return String(path[folder.lowerBound...])
    }
}
