import RPC

/// A second server of the process, beside the RPC server on the socket. Both stop together and have the same time to drain.
///
/// Its address is bound before `serve` runs, so that the start line is correct.
public struct Front: Sendable {
    /// The address, for the start line.
    let address: String

    /// The maximum number of open connections.
    let connections: Int

    let serve: @Sendable (RPCServer, _ stop: @escaping @Sendable () async -> Void) async -> Void

    /// - Parameters:
    ///   - address: the address, for the start line.
    ///   - connections: the maximum number of open connections. Each needs a file descriptor.
    ///   - serve: accepts requests until `stop` returns, then drains. Receives the server on the socket. Returns at once when its
    ///     task is cancelled.
    public init(
        address: String, connections: Int,
        serve: @escaping @Sendable (RPCServer, _ stop: @escaping @Sendable () async -> Void) async -> Void
    ) {
        self.address = address
        self.connections = connections
        self.serve = serve
    }
}
