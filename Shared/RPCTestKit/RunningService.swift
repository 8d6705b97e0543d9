import Foundation
import RPC

/// A real service in a process of its own, on a real socket under a root directory, for as long as a test needs it.
public struct RunningService: Sendable {
    public let client: RPCClient
    private let child: ServiceChild

    /// How long a service may take until it answers.
    private static let patience = Duration.seconds(20)

    /// Starts a service in a root of its own, runs `body` once it answers `rpc.health`, and stops it as a supervisor does.
    /// - Parameters:
    ///   - executable: as it is called in the manifest; it lies where the tests were built to.
    ///   - name: as its socket is called.
    /// - Throws: `Failure` when the service does not come up or does not end in an orderly way.
    public static func with<Result: Sendable>(
        _ executable: String, named name: String, arguments: [String] = [],
        _ body: (RunningService) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { root in
            try await with(executable, named: name, root: root, arguments: arguments, body)
        }
    }

    /// The same in a given root.
    public static func with<Result: Sendable>(
        _ executable: String, named name: String, root: String, arguments: [String] = [],
        _ body: (RunningService) async throws -> Result
    ) async throws -> Result {
        let child = try ServiceChild(executable, ["--root", root] + arguments, log: "\(root)/\(name).log")
        do {
            let path = try SocketPath("\(root)/run/\(name).sock")
            let result = try await RPCClient.withConnection(to: path, as: "test") { client in
                try await child.wait(until: client, within: patience)
                return try await body(RunningService(client: client, child: child))
            }
            try await child.stop()
            return result
        } catch {
            child.kill()
            throw error
        }
    }

    /// Ends the service as a power cut would; `with` fails then, with `-SIGKILL` as the status.
    public func kill() { child.kill() }

    /// What the service has written to its log.
    public var log: String { get throws { try child.log } }

    /// A service did not behave as a process should.
    public struct Failure: Error, CustomStringConvertible {
        /// How it ended: an exit status, the negative of a signal, or nil while it runs.
        public let status: Int32?

        /// What it said.
        public let log: String
        public let description: String
    }
}
