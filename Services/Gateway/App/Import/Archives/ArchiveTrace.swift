import Foundation

/// A sign that a folder is, or contains, the archive of an account at a network whose list of posts was not found.
///
/// Such a folder must not be imported file by file: it has private messages, stories and avatars.
struct ArchiveTrace {
    /// What was expected, and what to do.
    let explanation: String

    /// Files and folders of the archives, with one or two components.
    private static let names = [
        "outbox.json": "Mastodon", "actor.json": "Mastodon", "media_attachments": "Mastodon",
        "your_instagram_activity": "Instagram", "instagram_profile_information": "Instagram",
        "your_facebook_activity": "Facebook", "your_activity_across_facebook": "Facebook",
        "photos_and_videos": "Facebook", "your_posts_1.json": "Facebook", "personal_information": "Instagram",
        "logged_information": "Instagram", "connections": "Instagram", "start_here.html": "Instagram",
        "posts_1.html": "Instagram", "posts_1.json": "Instagram", "message_1.json": "Instagram",
        "messages/inbox": "Instagram", "media/posts": "Instagram", "media/stories": "Instagram",
        "media/profile": "Instagram", "archive_browser.html": "Google", "Your archive.html": "X",
        "data/tweets.js": "X", "data/manifest.js": "X", "direct_messages_media": "X", "tweets_media": "X",
        "tweets.js": "X", "tweet.js": "X", "tweet_media": "X", "profile_media": "X", "deleted_tweets_media": "X",
        "likes.json": "Mastodon", "bookmarks.json": "Mastodon", "message_1.html": "Instagram",
        "archived_posts": "Instagram", "messages/archived_threads": "Facebook", "messages/filtered_threads": "Facebook",
        "result.json": "Telegram", "messages.html": "Telegram", "_chat.txt": "WhatsApp", "chat_media": "Snapchat",
        "memories_history.json": "Snapchat", "threads_and_replies.json": "Threads",
        "pixelfed-statuses.json": "Pixelfed", "pixelfed-outbox.json": "Pixelfed", "statuses.json": "Pixelfed",
        "takeout": "Google", "google photos": "Google", "print-subscriptions.json": "Google",
        "shared_album_comments.json": "Google", "user-generated-memory-titles.json": "Google",
        "photo details.csv": "iCloud", "account_profile.json": "Flickr", "messages/index.json": "Discord",
        "account/user.json": "Discord", "repo.car": "Bluesky", "payload-0.json": "Tumblr", "messaging-1.json": "Tumblr",
        "post_headers.csv": "Reddit", "message_headers.csv": "Reddit", "media.json": "Instagram",
        "this_profile's_activity_across_facebook": "Facebook", "messages/e2ee_cutover": "Facebook",
        "google chat": "Google", "realmojis.json": "BeReal", "messages/attachments": "iMessage",
    ]

    /// The network that puts a file or a folder of this name into its archives.
    private static func network(of name: String) -> String? {
        let lowercased = name.lowercased()
        if let network = names[name] ?? names[lowercased] { return network }
        if lowercased.hasPrefix("whatsapp chat") { return "WhatsApp" }
        if lowercased.hasPrefix("[line] ") { return "LINE" }
        // Until 2020 Instagram divided its archives by months, without a list in most of their parts.
        if lowercased.wholeMatch(of: /(?:stories|direct|profile)\/\d{6}/) != nil { return "Instagram" }
        if lowercased.wholeMatch(of: /messages\d+\.html/) != nil { return "Telegram" }
        // Beside each picture; long names are cut.
        if lowercased.contains(".supplemental-m") { return "Google" }
        return lowercased.wholeMatch(of: /photo_\d+\.json/) == nil ? nil : "Flickr"
    }

    /// Those that stand beside folders of an archive, and that no other folder has.
    private static let besideFolders = [
        "outbox.json", "actor.json", "your_instagram_activity", "your_facebook_activity", "start_here.html",
        "archive_browser.html", "Your archive.html", "data/tweets.js",
    ]

    /// How many folders above the folder are searched.
    private static let levelsAbove = 3

    init?(in files: FolderFiles) {
        let folders = Set(files.pictures.flatMap { Self.parents(of: $0) })
        // The nearest to the folder first.
        let hits = folders.union(files.pictures).flatMap { path in
            let parts = path.split(separator: "/")
            return (1...2).compactMap { length -> (depth: Int, path: String, network: String)? in
                let name = parts.suffix(length).joined(separator: "/")
                guard parts.count >= length, let network = Self.network(of: name) else { return nil }
                return (parts.count - length, path, network)
            }
        }
        if let hit = hits.min(by: { ($0.depth, $0.path) < ($1.depth, $1.path) }) {
            self.init(hit.path, hit.network, depth: hit.depth)
            return
        }
        guard let (folder, name) = Self.archive(above: files.path) else { return nil }
        self.init(
            explanation:
                "it is a folder of an archive (\(folder) has \(name)), which also has what is not public; name "
                + "\(folder), or copy the pictures to another place")
    }

    private init(explanation: String) { self.explanation = explanation }

    /// The nearest archive that has a folder, and what shows it.
    private static func archive(above path: String) -> (folder: String, name: String)? {
        var folder = URL(filePath: path).resolvingSymlinksInPath()
        for _ in 1...levelsAbove where folder.path != "/" {
            folder.deleteLastPathComponent()
            let name = besideFolders.first {
                FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
            }
            if let name { return (folder.path, name) }
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
            case "Google": "a folder of Google Photos, with a JSON file beside each picture"
            case "Flickr": "a folder with the files photo_ID.json and the pictures"
            case "Pixelfed": "a folder of the pictures; an archive of Pixelfed has only their addresses"
            default: "an archive of Mastodon, Instagram, Flickr or Google Photos, or a folder of pictures only"
            }
        let remedy =
            depth > 0 && ["Mastodon", "Instagram"].contains(network)
            ? "; the archive seems to be in its folder \(place): name that one" : ""
        explanation =
            "it looks like an archive of \(network) (it has \(hit)), but its list of posts was not found\(remedy). "
            + "Expected: \(expected)"
    }

    private static func parents(of file: String) -> [String] {
        let parts = file.split(separator: "/")
        return (1..<max(1, parts.count)).map { parts.prefix($0).joined(separator: "/") }
    }
}
