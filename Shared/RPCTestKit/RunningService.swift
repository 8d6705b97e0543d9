import Foundation
import RPC

/// One service with nothing else: a process of its own under a root directory, for as long as a test needs it.
public struct RunningService: Sendable {
    public let client: RPCClient
    private let program: RunningProgram

    /// Starts a service in a root of its own, runs `body` once it answers `rpc.health`, and stops it as a supervisor does.
    /// - Parameter name: as its socket is called.
    /// - Throws: `Failure` when the service does not come up or does not end in an orderly way.
    public static func with<Result: Sendable>(
        _ name: String, arguments: [String] = [], _ body: (RunningService) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { root in
            try await with(name, root: root, arguments: arguments, body)
        }
    }

    /// The same in a given root.
    public static func with<Result: Sendable>(
        _ name: String, root: String, arguments: [String] = [], _ body: (RunningService) async throws -> Result
    ) async throws -> Result {
        let path = try SocketPath("\(root)/run/\(name).sock")
        let program = try Program(name + "-service").start(["--root", root] + arguments, errors: nil)
        // It has ended by then, unless something has gone wrong.
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

    /// Ends the service as a power cut would; `with` fails then.
    public func kill() { program.send(SIGKILL) }

    /// The process.
    public var id: Int32 { program.id }

    /// What the service has written to its log.
    public var log: String { program.errors.text }

    /// The lines of the log, once it says this: it is read a moment after the answers that came with it.
    public func logLines(with part: String) async -> [Substring] {
        _ = await program.errors.wait(for: part)
        return log.split(separator: "\n")
    }

    /// Ends it as a supervisor does.
    public func stop() async throws { try await program.stop() }

    /// A service did not behave as a process should.
    public struct Failure: Error, CustomStringConvertible {
        /// The exit code, for a signal 128 and its number.
        public let status: Int32

        /// What it said.
        public let log: String

        public var description: String { "the service ended with \(status)\n\(log)" }
    }
}

extension RunningProgram {
    fileprivate func stop() async throws {
        send(SIGTERM)
        let status = await ended()
        if status != 0 { throw RunningService.Failure(status: status, log: errors.text) }
    }
}
