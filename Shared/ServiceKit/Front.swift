/// Another server of a process, beside the one on its socket: it stops with it, and has the same time to drain. It has its
/// address already, so that the start line is true.
public struct Front: Sendable {
    /// Where it is, for the start line.
    let address: String

    /// How many connections it may have open.
    let connections: Int

    let serve: @Sendable (_ stop: @escaping @Sendable () async -> Void) async -> Void

    /// - Parameters:
    ///   - address: where it is, for the start line.
    ///   - connections: how many it may have open: each is an open file.
    ///   - serve: serves until `stop` returns, and then for as long as what is under way may take; ends at once when its
    ///     task is cancelled.
    public init(
        address: String, connections: Int,
        serve: @escaping @Sendable (_ stop: @escaping @Sendable () async -> Void) async -> Void
    ) {
        self.address = address
        self.connections = connections
        self.serve = serve
    }
}
