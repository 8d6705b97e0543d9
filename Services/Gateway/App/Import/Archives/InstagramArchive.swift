import Foundation
import JSON

/// The pictures of an Instagram account's archive in the format JSON: the unpacked file with `posts_1.json` and `media`.
///
/// Stories, archived posts and pictures of the profile are not imported, and neither are the places where pictures were taken:
/// the archive has exact coordinates that the posts did not show.
enum InstagramArchive {
    /// The folders that have had the lists of posts, the latest first.
    private static let folders = ["your_instagram_activity/media", "your_instagram_activity/content", "content"]

    /// The files that list posts, from `posts_1.json` on.
    static func lists(hasFile: (String) -> Bool) -> [String] {
        for folder in folders {
            var names: [String] = []
            while case let name = "\(folder)/posts_\(names.count + 1).json", hasFile(name) { names.append(name) }
            if !names.isEmpty { return names }
        }
        return []
    }

    /// The pictures, those of the newest post first. Members of another form than expected count as absent.
    ///
    /// - Parameter lists: the content of each list.
    /// - Returns: nil if a text is not a list of posts.
    static func entries(_ lists: [JSONValue]) -> [ImportEntry]? {
        let posts = lists.compactMap(\.elements)
        guard posts.count == lists.count else { return nil }
        return posts.joined().enumerated()
            .sorted { (time($1.element), $0.offset) < (time($0.element), $1.offset) }
            .flatMap { entries(of: $0.element) }
    }

    /// The time of a post; a post of a single picture has it there.
    private static func time(_ post: JSONValue) -> Int {
        (post["creation_timestamp"] ?? media(of: post).first?["creation_timestamp"])?.integer ?? 0
    }

    private static func media(of post: JSONValue) -> [JSONValue] { post["media"]?.elements ?? [] }

    private static func entries(of post: JSONValue) -> [ImportEntry] {
        media(of: post).map { medium in
            let words = [post, medium].compactMap { $0["title"]?.text }.first { !$0.isEmpty }
            let file = medium["uri"]?.text
            let refusal: String? =
                switch file {
                case nil: "it has no uri"
                case let file? where isVideo(file): "it is not a picture, but a video"
                case _?: nil
                }
            return ImportEntry(
                file: file ?? "a picture of a post", id: nil, description: words.map(repaired), location: nil,
                comments: [], refusal: refusal)
        }
    }

    private static func isVideo(_ file: String) -> Bool {
        ["mp4", "mov", "m4v", "webm"].contains((file as NSString).pathExtension.lowercased())
    }

    /// Instagram writes each byte of UTF-8 as a character of its own: `Ã©` for `é`. Other texts remain as they are.
    static func repaired(_ text: String) -> String {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        guard bytes.count == text.unicodeScalars.count else { return text }
        return String(validating: bytes, as: UTF8.self) ?? text
    }
}
