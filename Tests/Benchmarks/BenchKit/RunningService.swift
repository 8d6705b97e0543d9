import RPC

/// One program of this package, in a separate root.
package struct RunningService {
    package let process: ChildProcess
    package let socket: SocketPath

    /// The time from `exec` to the first answer to a ping, in milliseconds.
    package let firstAnswer: Double

    /// - Parameter name: the name of its socket.
    package static func start(_ program: String, _ arguments: [String] = [], name: String, root: String) async throws
        -> RunningService
    {
        let path = "\(root)/run/\(name).sock"
        let socket = try SocketPath(path)
        let process = try ChildProcess.start([try Programs.path(program)] + arguments + ["--create", "--root", root])
        try process.waitUntilServing(at: path)
        return try await RPCClient.withConnection(to: socket, as: "bench") { client in
            _ = try await client.call(ProtocolMethods.ping, Empty())
            return RunningService(
                process: process, socket: socket, firstAnswer: Double(WallClock.now() - process.startedAt) / 1_000)
        }
    }
}
