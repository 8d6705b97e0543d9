import Foundation
import RPC

/// A single service process under a root directory, for the duration of a test.
public struct RunningService: Sendable {
    public let client: RPCClient
    private let program: RunningProgram

    /// Starts a service in a new root, runs `body` when it answers `rpc.health`, and stops it with SIGTERM.
    /// - Parameter name: the name of its socket.
    /// - Throws: `Failure` when the service does not become ready or does not exit with 0.
    public static func with<Result: Sendable>(
        _ name: String, arguments: [String] = [], _ body: (RunningService) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { root in
            try await with(name, root: root, arguments: arguments, body)
        }
    }

    /// Starts a service in an existing root; otherwise like `with` without `root`.
    public static func with<Result: Sendable>(
        _ name: String, root: String, arguments: [String] = [], _ body: (RunningService) async throws -> Result
    ) async throws -> Result {
        let path = try SocketPath("\(root)/run/\(name).sock")
        let program = try Program(name + "-service").start(["--root", root] + arguments, errors: nil)
        // Normally it has already exited.
        defer { program.send(SIGKILL) }
        guard await program.errors.wait(for: "serving on") else {
            throw Failure(status: await program.ended(), log: program.errors.text)
        }
        return try await RPCClient.withConnection(to: path, as: "test") { client in
            let result = try await body(RunningService(client: client, program: program))
            try await program.stop()
            return result
        }
    }

    /// Kills the service with SIGKILL. `with` then fails.
    public func kill() { program.send(SIGKILL) }

    /// The process id.
    public var id: Int32 { program.id }

    /// The log so far.
    public var log: String { program.errors.text }

    /// The lines of the log, once it contains `part`. Waits, because the log arrives later than the answers to calls.
    public func logLines(with part: String) async -> [Substring] {
        _ = await program.errors.wait(for: part)
        return log.split(separator: "\n")
    }

    /// Stops the service with SIGTERM.
    public func stop() async throws { try await program.stop() }

    /// A service failed.
    public struct Failure: Error, CustomStringConvertible {
        /// The exit code; after a signal, 128 plus its number.
        public let status: Int32

        /// The log of the service.
        public let log: String

        public var description: String { "the service ended with \(status)\n\(log)" }
    }
}

extension RunningProgram {
    /// Stops the program with SIGTERM.
    /// - Throws: `Failure` when it does not exit with 0.
    public func stop() async throws {
        send(SIGTERM)
        let status = await ended()
        if status != 0 { throw RunningService.Failure(status: status, log: errors.text) }
    }
}
