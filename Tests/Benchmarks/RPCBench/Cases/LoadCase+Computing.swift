extension LoadCase {
    /// Handlers that compute: a server on several event loops uses several cores.
    static let computing = LoadCase(
        name: "computing, 64 under way over \(manyConnections) connections",
        load: Load(replyBytes: 0, underWay: 64, connections: manyConnections, isComputing: true))
}
