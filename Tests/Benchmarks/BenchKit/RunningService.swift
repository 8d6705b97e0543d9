import RPC

/// One of the programs of this package, in a root of the benchmark's own.
package struct RunningService {
    package let process: ChildProcess
    package let socket: SocketPath

    /// From `exec` until it has answered a ping, in milliseconds.
    package let firstAnswer: Double

    /// - Parameter name: of its socket.
    package static func start(_ program: String, _ arguments: [String] = [], name: String, root: String) async throws
        -> RunningService
    {
        let path = "\(root)/run/\(name).sock"
        let socket = try SocketPath(path)
        let process = try ChildProcess.start([try Programs.path(program)] + arguments + ["--root", root])
        try process.waitUntilServing(at: path)
        return try await RPCClient.withConnection(to: socket, as: "bench") { client in
            _ = try await client.call(ProtocolMethods.ping, Empty())
            return RunningService(
                process: process, socket: socket, firstAnswer: Double(WallClock.now() - process.startedAt) / 1_000)
        }
    }
}
