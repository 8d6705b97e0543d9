extension LoadCase {
    /// The size of most calls of the feed.
    static let mainCase = [
        LoadCase(name: name("1 KB", underWay: 1), load: Load()),
        LoadCase(name: name("1 KB", underWay: 64), load: Load(underWay: 64)),
    ]

    /// From less than a protocol's overhead to the size of a picture.
    static let sizes = [("32 B", 32), ("64 KB", 65_536), ("1 MB", 1_048_576)].flatMap { size, bytes in
        [1, 64].map { underWay in
            LoadCase(name: name(size, underWay: underWay), load: Load(replyBytes: bytes, underWay: underWay))
        }
    }

    static func name(_ size: String, underWay: Int, connections: Int = 1) -> String {
        "\(size), \(underWay) under way" + (connections == 1 ? "" : " over \(connections) connections")
    }
}
