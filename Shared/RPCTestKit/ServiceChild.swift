import Foundation
import Glibc
import RPC
import Synchronization

/// The process of a `RunningService`.
final class ServiceChild: Sendable {
    private let id: Int32
    private let logPath: String
    private let outcome: Outcome
    private let ended: AsyncStream<Void>

    /// How the process has ended: an exit status, the negative of a signal, or nil while it runs.
    private final class Outcome: Sendable {
        let status = Mutex<Int32?>(nil)
    }

    /// Starts an executable that lies beside the one that runs the tests.
    init(_ executable: String, _ arguments: [String], log: String) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(filePath: tests).deletingLastPathComponent().appending(path: executable)
        process.arguments = arguments
        try Data().write(to: URL(filePath: log))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: log))
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let outcome = Outcome()
        process.terminationHandler = { process in
            let isExit = process.terminationReason == .exit
            outcome.status.withLock { $0 = isExit ? process.terminationStatus : -process.terminationStatus }
            end.finish()
        }
        try process.run()
        (id, logPath, self.ended, self.outcome) = (process.processIdentifier, log, ended, outcome)
    }

    var log: String { get throws { try String(contentsOfFile: logPath, encoding: .utf8) } }

    /// Waits for the first answer.
    func wait(until client: RPCClient, within patience: Duration) async throws {
        let deadline = ContinuousClock.now + patience
        while let problem = await Self.problem(of: client) {
            if outcome.status.withLock({ $0 }) != nil { throw try failure("ended") }
            guard problem.kind == .unavailable, ContinuousClock.now < deadline else {
                throw try failure("does not answer: \(problem.message)")
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
        for await _ in ended {}
        if outcome.status.withLock({ $0 }) != 0 { throw try failure("did not end in an orderly way") }
    }

    func kill() { Glibc.kill(id, SIGKILL) }

    private func failure(_ what: String) throws -> RunningService.Failure {
        let (status, log) = (outcome.status.withLock { $0 }, try log)
        let how = status.map { " with \($0)" } ?? ""
        return RunningService.Failure(status: status, log: log, description: "the service \(what)\(how)\n\(log)")
    }
}
