import Foundation
import RPCTestKit
import Testing

/// A deployment started by `deploy/up`, with supervisord and the sample feed.
struct SupervisedDeployment {
    let root: String

    /// The directory with the programs to run.
    var programs = Program.directory

    /// - Parameters:
    ///   - arguments: further arguments of `deploy/up`.
    ///   - environment: variables for `deploy/up` and the programs.
    ///   - settings: the text of ROOT/config.json; nil for no file.
    static func with<Result>(
        _ arguments: [String] = [], _ environment: [String: String] = [:], settings: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SupervisedDeployment, Program.Outcome) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let deployment = SupervisedDeployment(root: directory + "/root")
            if let settings { try deployment.configure(settings) }
            do {
                let outcome = try await deployment.up(with: arguments, environment)
                let result = try await body(deployment, outcome)
                try await deployment.end()
                return result
            } catch {
                try await deployment.end()
                throw error
            }
        }
    }

    /// Kills all programs. Quicker than `deploy/down`, which lets them finish their calls one after the other.
    func end() async throws {
        while case let processes = try await processes(), !processes.isEmpty {
            // First supervisord, which would start the others again.
            for process in processes["supervisord"] ?? Array(processes.values.joined()) {
                kill(process, SIGKILL)
            }
        }
    }

    func up(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Outcome {
        try await up(with: arguments, environment)
    }

    func up(with arguments: [String], _ environment: [String: String] = [:]) async throws -> Program.Outcome {
        // A slow machine may need any time.
        try await script("up", ["--root", root, "--bin", programs, "--wait", "600"] + arguments, environment)
    }

    /// The port that the gateway's last start line names.
    func httpPort() throws -> Int {
        let log = try log(of: "gateway")
        return try #require(log.matches(of: /http:\/\/127\.0\.0\.1:(\d+)/).last.flatMap { Int($0.output.1) })
    }

    func down() async throws -> Program.Outcome { try await script("down", ["--root", root]) }

    /// All programs of a deployment.
    static let names =
        ["feed", "comments", "image-data", "gateway", "supervisord"] + plugins

    /// Our plugins, whose manifests are beside their sources.
    private static let plugins: [String] = {
        let files = try? FileManager.default.subpathsOfDirectory(atPath: Program.repository + "/Services")
        return (files ?? []).filter { $0.hasSuffix(".json") && $0.split(separator: "/").count == 2 }
            .map { String($0.split(separator: "/")[1].dropLast(".json".count)) }
    }()

    /// The processes of this deployment by name, as the scripts recognise them.
    func processes() async throws -> [String: [Int32]] {
        let script = """
            here=\(Program.repository)/deploy; . "$here/lib/words.sh"; . "$here/lib/deployment.sh"
            root=$1; for name in "${@:2}"; do echo "$name $(processes "$name")"; done
            """
        let outcome = try await Program(path: "/bin/bash").run(["-c", script, "processes", root] + Self.names)
        var processes: [String: [Int32]] = [:]
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.count > 1 { processes[words[0]] = words.dropFirst().compactMap { Int32($0) } }
        }
        return processes
    }

    /// Whether exactly one process of each program runs and all serve.
    func isRight() async throws -> Bool {
        let processes = try await processes()
        guard processes.count == Self.names.count, processes.values.allSatisfy({ $0.count == 1 }) else { return false }
        return try await gateway("health").status == 0
    }

    /// The log of a program that has started.
    func log(of program: String) throws -> String {
        try String(contentsOfFile: "\(root)/log/\(program).log", encoding: .utf8)
    }

    /// Deletes what an edge has cached.
    func removeCaches() throws {
        try FileManager.default.removeItem(atPath: root + "/data")
        try FileManager.default.createDirectory(atPath: root + "/data", withIntermediateDirectories: false)
    }

    /// Writes ROOT/config.json.
    func configure(_ settings: String) throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try Data(settings.utf8).write(to: URL(filePath: root + "/config.json"))
    }

    /// The process that the gateway has last started for a plugin.
    func pluginProcess(_ name: String) throws -> Int32? {
        let log = try log(of: "gateway")
        return try log.matches(of: Regex("the program of plugin \(name) is started: process ([0-9]+)")).last
            .flatMap { $0.output[1].substring.flatMap { Int32($0) } }
    }

    func gateway(_ arguments: String...) async throws -> Program.Outcome { try await gateway(arguments) }

    func gateway(_ arguments: [String]) async throws -> Program.Outcome {
        try await Program(path: root + "/bin/gateway").run(
            arguments, environment: ["ROOT": root, "LC_ALL": "C.UTF-8"])
    }

    /// What supervisord has done, for the messages of failures.
    func history() throws -> String { try log(of: "supervisord") }

    /// The process that supervisord runs under this name.
    func process(_ name: String) async throws -> Int32 {
        let outcome = try await supervisorctl("pid", name)
        return try #require(Int32(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    func supervisorctl(_ arguments: String...) async throws -> Program.Outcome {
        try await Program(path: "/usr/bin/env").run(["supervisorctl", "-c", root + "/supervisord.conf"] + arguments)
    }

    private func script(
        _ name: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        try await Program(path: "/bin/bash").run(
            [Program.repository + "/deploy/" + name] + arguments, environment: environment)
    }
}
