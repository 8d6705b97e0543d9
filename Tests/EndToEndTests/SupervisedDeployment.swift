import Foundation
import RPCTestKit
import Testing

/// A deployment as people start it: `deploy/up`, supervisord, the sample feed. It runs the programs that were built with
/// the tests.
struct SupervisedDeployment {
    let root: String

    /// - Parameter arguments: further ones of `deploy/up`.
    static func with<Result>(
        _ arguments: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (SupervisedDeployment, Program.Outcome) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let deployment = SupervisedDeployment(root: directory + "/root")
            do {
                let outcome = try await deployment.up(with: arguments)
                let result = try await body(deployment, outcome)
                _ = try await deployment.down()
                return result
            } catch {
                _ = try await deployment.down()
                throw error
            }
        }
    }

    func up(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Outcome {
        try await up(with: arguments, environment)
    }

    func up(with arguments: [String], _ environment: [String: String] = [:]) async throws -> Program.Outcome {
        try await script("up", ["--root", root, "--bin", Program.directory] + arguments, environment)
    }

    /// The port that the gateway's last start line names.
    func httpPort() throws -> Int {
        let log = try String(contentsOfFile: root + "/log/gateway.log", encoding: .utf8)
        return try #require(log.matches(of: /http:\/\/127\.0\.0\.1:(\d+)/).last.flatMap { Int($0.output.1) })
    }

    func down() async throws -> Program.Outcome { try await script("down", ["--root", root]) }

    func gateway(_ arguments: String...) async throws -> Program.Outcome {
        try await Program(path: root + "/bin/gateway").run(
            arguments, environment: ["ROOT": root, "LC_ALL": "C.UTF-8"])
    }

    /// The process that supervisord runs under this name.
    func process(_ name: String) async throws -> Int32 {
        let outcome = try await Program(path: "/usr/bin/env").run([
            "supervisorctl", "-c", root + "/supervisord.conf", "pid", name,
        ])
        return try #require(Int32(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    private func script(
        _ name: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        try await Program(path: "/bin/bash").run(
            [Program.repository + "/deploy/" + name] + arguments, environment: environment)
    }
}
