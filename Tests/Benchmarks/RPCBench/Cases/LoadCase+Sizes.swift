extension LoadCase {
    /// What most calls of the feed look like.
    static let mainCase = [
        LoadCase(name: "1 KB, 1 under way", load: Load()),
        LoadCase(name: "1 KB, 64 under way", load: Load(underWay: 64)),
    ]

    /// From less than a protocol's own bytes to a picture.
    static let sizes = [("32 B", 32), ("64 KB", 65_536), ("1 MB", 1_048_576)].flatMap { size, bytes in
        [1, 64].map { underWay in
            LoadCase(name: "\(size), \(underWay) under way", load: Load(replyBytes: bytes, underWay: underWay))
        }
    }
}
