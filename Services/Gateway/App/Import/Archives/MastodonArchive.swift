import EdgeModel
import Foundation
import JSON

/// The pictures of a Mastodon account's archive: the unpacked file with `outbox.json` and `media_attachments`.
struct MastodonArchive {
    static let listName = "outbox.json"

    let files: FolderFiles

    /// Whether posts that are marked as sensitive are imported.
    let takesSensitive: Bool

    /// The pictures, those of the newest post first. A post's text is the description of each of its pictures; a post without
    /// a text has the pictures' own descriptions. Members of another form than expected count as absent.
    ///
    /// The archive also has posts for followers and private messages. Only what everybody could read is published.
    ///
    /// - Returns: nil if the text is not an archive's.
    func entries(_ outbox: JSONValue) -> [ImportEntry]? {
        guard let activities = outbox["orderedItems"]?.elements else { return nil }
        // Boosts of others' posts have only an address.
        let posts = activities.compactMap { activity -> Post? in
            guard activity["type"]?.text == "Create", let post = activity["object"] else { return nil }
            // A content warning covers the pictures too.
            let isSensitive =
                activity["sensitive"].isTrue || post["sensitive"].isTrue
                || post["summary"]?.text?.isEmpty == false
            return Post(
                date: ImportDate.parse(post["published"] ?? activity["published"]), object: post,
                isSensitive: isSensitive)
        }
        // The archive begins with the oldest post.
        return posts.enumerated().sorted {
            ($1.element.date ?? .distantPast, $1.offset) < ($0.element.date ?? .distantPast, $0.offset)
        }.flatMap { entries(of: $0.element) }
    }

    private struct Post {
        let date: Date?
        let object: JSONValue
        let isSensitive: Bool
    }

    private func entries(of item: Post) -> [ImportEntry] {
        let (post, isSensitive) = (item.object, item.isSensitive)
        let text = Self.text(of: post)
        let readers = ["to", "cc"].compactMap { post[$0] }.flatMap { Self.list($0).compactMap(\.text) }
        let isPublic = readers.contains { Self.everybody.contains($0) }
        return (post["attachment"].map(Self.list) ?? []).map { attachment in
            let address = Self.address(of: attachment)
            let file = address.flatMap(files.file)
            let type = attachment["mediaType"]?.text ?? ""
            let skipped: ImportSkip? =
                if !isPublic {
                    .notPublic
                } else if !type.isEmpty, !type.hasPrefix("image/") {
                    .notPicture
                } else if isSensitive, !takesSensitive {
                    .sensitive
                } else {
                    nil
                }
            let refusal: String? =
                switch (address, file) {
                case (nil, _): "it has an attachment without a url"
                case (let address?, nil): "the archive has no file \(address)"
                case (_?, _?): nil
                }
            let alt = attachment["name"]?.text
            let words = [text, alt].compactMap(\.self).first { !$0.isEmpty }
            return ImportEntry(
                file: file ?? post["id"]?.text ?? "a post", id: nil, description: words, location: nil, comments: [],
                tags: Self.tags(of: post), publishedAt: item.date,
                details: PictureDetails(
                    alt: alt.map { ImportText.cut($0, to: PictureDetails.maximumAlt) }, isSensitive: isSensitive),
                refusal: refusal,
                skipped: skipped)
        }
    }

    /// A member that may have one value, a list of them, or null.
    private static func list(_ value: JSONValue) -> [JSONValue] { value.elements ?? (value == .null ? [] : [value]) }

    /// The address of an attachment's file: a text, or a link.
    private static func address(of attachment: JSONValue) -> String? {
        attachment["url"].map(list)?.lazy.compactMap { $0.text ?? $0["href"]?.text }.first
    }

    /// The hashtags of a post, as many as an item can have.
    private static func tags(of post: JSONValue) -> [String] {
        let names = (post["tag"].map(list) ?? []).filter { $0["type"]?.text == "Hashtag" }
            .compactMap { $0["name"]?.text.map { String($0.drop { $0 == "#" }) } }
        return ImportText.tags(names)
    }

    /// The addresses of all readers.
    private static let everybody = ["https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"]

    /// The title of an article and the content warning, if there are, and the text.
    private static func text(of post: JSONValue) -> String {
        [post["name"]?.text, post["summary"]?.text, post["content"]?.text.map(HTMLText.plain)]
            .compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: "\n\n")
    }
}
