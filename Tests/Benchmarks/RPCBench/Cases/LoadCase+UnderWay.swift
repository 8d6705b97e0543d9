extension LoadCase {
    /// Growing numbers of concurrent calls, over one connection and over many.
    static let underWay =
        [16, 512, 2_048].map { LoadCase(name: name("1 KB", underWay: $0), load: Load(underWay: $0)) }
        + [16, 64, 512, 2_048].map {
            LoadCase(
                name: name("1 KB", underWay: $0, connections: manyConnections),
                load: Load(underWay: $0, connections: manyConnections))
        }

    static let manyConnections = 8
}
