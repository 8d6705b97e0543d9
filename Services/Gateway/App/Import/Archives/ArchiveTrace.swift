/// A sign that a folder is, or contains, the archive of an account at a network whose list of posts was not found.
///
/// Such a folder must not be imported file by file: it has private messages, stories and avatars.
struct ArchiveTrace {
    /// What was expected, and what to do.
    let explanation: String

    /// Files and folders of the archives.
    private static let names: [(name: String, network: String)] = [
        ("outbox.json", "Mastodon"), ("actor.json", "Mastodon"), ("media_attachments", "Mastodon"),
        ("your_instagram_activity", "Instagram"), ("instagram_profile_information", "Instagram"),
        ("your_facebook_activity", "Facebook"), ("your_activity_across_facebook", "Facebook"),
        ("personal_information", "Instagram"), ("logged_information", "Instagram"), ("connections", "Instagram"),
        ("start_here.html", "Instagram"), ("posts_1.html", "Instagram"), ("posts_1.json", "Instagram"),
        ("media/posts", "Instagram"), ("media/stories", "Instagram"), ("archive_browser.html", "Google"),
        ("Your archive.html", "X"), ("data/tweets.js", "X"), ("data/manifest.js", "X"),
    ]

    init?(in files: FolderFiles) {
        // In the folder itself, and in its folders and theirs.
        let parents = Set(files.pictures.flatMap { Self.parents(of: $0) })
        let all = Set(files.pictures).union(parents)
        for depth in 0...2 {
            for (name, network) in Self.names {
                let length = name.split(separator: "/").count
                guard
                    let hit = all.first(where: { path in
                        let parts = path.split(separator: "/")
                        return parts.count == depth + length && parts.suffix(length).joined(separator: "/") == name
                    })
                else { continue }
                self.init(hit, network, depth: depth)
                return
            }
        }
        return nil
    }

    private init(_ hit: String, _ network: String, depth: Int) {
        let place = hit.split(separator: "/").prefix(depth).joined(separator: "/")
        let expected =
            switch network {
            case "Mastodon": "a folder with \(MastodonArchive.listName)"
            case "Instagram":
                "a folder with your_instagram_activity/media/posts_1.json, as Instagram sends it in the format JSON"
            default: "an archive of Mastodon or Instagram, or a folder of pictures only"
            }
        let remedy =
            depth > 0 && network != "X" && network != "Google"
            ? "; the archive seems to be in its folder \(place): name that one" : ""
        explanation =
            "it looks like an archive of \(network) (it has \(hit)), but its list of posts was not found\(remedy). Expected: \(expected)"
    }

    private static func parents(of file: String) -> [String] {
        let parts = file.split(separator: "/")
        return (1..<max(1, parts.count)).map { parts.prefix($0).joined(separator: "/") }
    }
}
