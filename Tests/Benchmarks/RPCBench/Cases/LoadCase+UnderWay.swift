extension LoadCase {
    /// More and more at the same time, over one connection and divided among eight.
    static let underWay =
        [16, 512, 2_048].map { LoadCase(name: "1 KB, \($0) under way", load: Load(underWay: $0)) }
        + [16, 64, 512, 2_048].map {
            LoadCase(name: "1 KB, \($0) under way over 8 connections", load: Load(underWay: $0, connections: 8))
        }
}
