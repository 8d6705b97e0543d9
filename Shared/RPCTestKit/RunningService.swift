import Foundation
import Glibc
import RPC

/// A real service in a process of its own, on a real socket under a root directory, for as long as a test needs it.
public struct RunningService: Sendable {
    public let client: RPCClient
    public let process: Int32

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
        let child = try Child(executable, ["--root", root] + arguments, log: root + "/\(name).log")
        do {
            let path = try SocketPath("\(root)/run/\(name).sock")
            let result = try await RPCClient.withConnection(to: path, as: "test") { client in
                try await child.wait(until: client, within: patience)
                return try await body(RunningService(client: client, process: child.id))
            }
            try await child.stop()
            return result
        } catch {
            child.kill()
            throw error
        }
    }

    /// A service did not behave as a process should.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }
}

/// The process.
private struct Child: Sendable {
    let name: String
    let id: Int32
    private let log: String
    private let ended: AsyncStream<Int32>

    init(_ executable: String, _ arguments: [String], log: String) throws {
        let directory = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(filePath: directory).deletingLastPathComponent().appending(path: executable)
        process.arguments = arguments
        try Data().write(to: URL(filePath: log))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: log))
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            end.finish()
        }
        try process.run()
        (name, id, self.log, self.ended) = (executable, process.processIdentifier, log, ended)
    }

    /// Waits for the first answer.
    func wait(until client: RPCClient, within patience: Duration) async throws {
        let deadline = ContinuousClock.now + patience
        while let problem = await Self.problem(of: client) {
            guard problem.kind == .unavailable, ContinuousClock.now < deadline else {
                throw failure("does not answer: \(problem.message)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func problem(of client: RPCClient) async -> RPCError? {
        do throws(RPCError) {
            _ = try await client.call(ProtocolMethods.health, ServiceSelection())
            return nil
        } catch {
            return error
        }
    }

    func stop() async throws {
        Glibc.kill(id, SIGTERM)
        for await status in ended where status != 0 { throw failure("ended with \(status)") }
    }

    /// For when something has gone wrong already.
    func kill() { Glibc.kill(id, SIGKILL) }

    private func failure(_ what: String) -> RunningService.Failure {
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return RunningService.Failure(description: "\(name) \(what)\n\(said)")
    }
}
