import EdgeModel
import Foundation
import JSON

/// The pictures of an Instagram account's archive in the format JSON: the unpacked file with `posts_1.json` and `media`.
///
/// Stories, archived posts and pictures of the profile are not imported, and neither are the places where pictures were taken:
/// the archive has exact coordinates that the posts did not show.
struct InstagramArchive {
    let files: FolderFiles

    /// The folders that have had the lists of posts, the latest first.
    private static let folders = ["your_instagram_activity/media", "your_instagram_activity/content", "content"]

    /// The files that list posts, by their numbers.
    static func lists(in files: FolderFiles) -> [String] {
        let lists = folders.lazy.map { folder in
            files.pictures.filter { file in
                let name = file.hasPrefix("\(folder)/posts_") ? file.dropFirst(folder.count + 7) : ""
                return name.hasSuffix(".json") && Int(name.dropLast(5)) != nil
            }
        }
        return lists.first { !$0.isEmpty } ?? []
    }

    /// The pictures, those of the newest post first. Members of another form than expected count as absent.
    ///
    /// - Parameter lists: the content of each list.
    /// - Returns: nil if a text is not a list of posts.
    func entries(_ lists: [JSONValue]) -> [ImportEntry]? {
        // The only post of an account may be there without a list.
        let posts = lists.compactMap { $0.elements ?? (Self.media(of: $0).isEmpty ? nil : [$0]) }
        guard posts.count == lists.count else { return nil }
        let texts = MisreadText(
            posts.joined().flatMap { Self.titles(of: $0) + Self.media(of: $0).flatMap(Self.titles) })
        return posts.joined().enumerated()
            .sorted {
                (Self.time($1.element) ?? .distantPast, $0.offset) < (Self.time($0.element) ?? .distantPast, $1.offset)
            }
            .flatMap { entries(of: $0.element, texts) }
    }

    private static func titles(of value: JSONValue) -> [String] { value["title"]?.text.map { [$0] } ?? [] }

    /// The time of a post; a post of a single picture has it there.
    private static func time(_ post: JSONValue) -> Date? {
        ImportDate.parse(post["creation_timestamp"] ?? media(of: post).first?["creation_timestamp"])
    }

    /// A post of one picture may be that picture itself.
    private static func media(of post: JSONValue) -> [JSONValue] {
        post["media"].map { $0.elements ?? [$0] } ?? (post["uri"] == nil ? [] : [post])
    }

    private func entries(of post: JSONValue, _ texts: MisreadText) -> [ImportEntry] {
        let date = Self.time(post)
        guard !Self.media(of: post).isEmpty else {
            return [
                ImportEntry(
                    file: "a post", id: nil, description: nil, location: nil, comments: [], publishedAt: date,
                    skipped: .notPicture)
            ]
        }
        return Self.media(of: post).map { medium in
            let words = [post, medium].flatMap(Self.titles).first { !$0.isEmpty }.map(texts.repaired)
            let address = medium["uri"]?.text
            let file = address.flatMap(files.file)
            let refusal: String? =
                switch (address, file) {
                case (nil, _): "it has no uri"
                case (let address?, nil): "the archive has no file \(address)"
                case (_?, _?): nil
                }
            return ImportEntry(
                file: file ?? address ?? "a picture of a post", id: nil, description: words, location: nil,
                comments: [],
                tags: words.map(Self.tags) ?? [], publishedAt: date, refusal: refusal,
                skipped: address.flatMap(Self.skip))
        }
    }

    private static func skip(_ file: String) -> ImportSkip? {
        if ["mp4", "mov", "m4v", "webm"].contains((file as NSString).pathExtension.lowercased()) { return .notPicture }
        return file.lowercased().split(separator: "/").contains(where: privateFolders.contains) ? .notPublic : nil
    }

    /// The folders of pictures that are no posts.
    private static let privateFolders: Set<Substring> = [
        "stories", "archived_posts", "profile", "recently_deleted", "messages", "inbox",
    ]

    /// The hashtags of a caption, also joined ones, as many as an item can have.
    static func tags(in caption: String) -> [String] {
        var (names, current) = ([String](), String.UnicodeScalarView?.none)
        for scalar in caption.unicodeScalars {
            let isOfTag =
                scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .nonspacingMark
                || scalar.properties.generalCategory == .spacingMark
            if scalar == "#" || scalar == "＃" || !isOfTag {
                if let current, !current.isEmpty { names.append(String(current)) }
                current = scalar == "#" || scalar == "＃" ? String.UnicodeScalarView() : nil
            } else {
                current?.append(scalar)
            }
        }
        if let current, !current.isEmpty { names.append(String(current)) }
        // A number, as in "#1", is no tag.
        let words = names.filter { name in name.unicodeScalars.contains { $0.properties.isAlphabetic } }
        return ImportText.tags(words)
    }
}
