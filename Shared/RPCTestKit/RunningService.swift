import Foundation
import RPC

/// One service with nothing else: a process of its own under a root directory, for as long as a test needs it.
public struct RunningService: Sendable {
    public let client: RPCClient
    private let program: RunningProgram
    private let logPath: String

    /// How long a service may take until it answers.
    private static let patience = Duration.seconds(20)

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
        let log = "\(root)/\(name).log"
        // A log of its own, also when there has been another run in this root.
        try Data().write(to: URL(fileURLWithPath: log))
        let program = try Program(name + "-service").start(["--root", root] + arguments, errors: log)
        // It has ended by then, unless something has gone wrong.
        defer { program.send(SIGKILL) }
        return try await RPCClient.withConnection(to: path, as: "test") { client in
            let service = RunningService(client: client, program: program, logPath: log)
            try await service.untilReady()
            let result = try await body(service)
            try await service.stop()
            return result
        }
    }

    /// Ends the service as a power cut would; `with` fails then.
    public func kill() { program.send(SIGKILL) }

    /// What the service has written to its log.
    public var log: String { get throws { try String(contentsOfFile: logPath, encoding: .utf8) } }

    /// A service did not behave as a process should.
    public struct Failure: Error, CustomStringConvertible {
        /// The exit code, for a signal 128 and its number; nil while it runs.
        public let status: Int32?

        /// What it said.
        public let log: String
        public let description: String
    }

    private func untilReady() async throws {
        let deadline = ContinuousClock.now + Self.patience
        while let problem = await problem() {
            if program.status != nil { throw try failure("ended") }
            guard problem.kind == .unavailable, ContinuousClock.now < deadline else {
                throw try failure("does not answer: \(problem.message)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func problem() async -> RPCError? {
        do throws(RPCError) {
            _ = try await client.call(ProtocolMethods.health, ServiceSelection())
            return nil
        } catch {
            return error
        }
    }

    private func stop() async throws {
        program.send(SIGTERM)
        if await program.ended() != 0 { throw try failure("did not end in an orderly way") }
    }

    private func failure(_ what: String) throws -> Failure {
        let (status, log) = (program.status, try log)
        let how = status.map { " with \($0)" } ?? ""
        return Failure(status: status, log: log, description: "the service \(what)\(how)\n\(log)")
    }
}
