import Foundation
import RPC

/// The four real programs in a temporary root, for the duration of a test.
public struct Deployment: Sendable {
    public let root: String
    private let programs: [String: RunningProgram]

    public static let services = ["feed", "comments", "image-data"]

    /// Runs `body` while all programs serve.
    /// - Parameters:
    ///   - gateway: further arguments of `gateway serve`.
    ///   - imageData: further arguments of `image-data-service`.
    ///   - manifests: those of further plugins, by name.
    public static func with<Result>(
        gateway arguments: [String] = [], imageData: [String] = [], manifests: [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Deployment) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { root in
            try seedPlugins(root)
            for (name, text) in manifests {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/plugins.d/\(name).json"))
            }
            var programs: [String: RunningProgram] = [:]
            defer { for program in programs.values { program.send(SIGKILL) } }
            for name in services + ["gateway"] {
                programs[name] = try start(
                    name, root: root, arguments: ["gateway": arguments, "image-data": imageData][name] ?? [],
                    errors: "\(root)/\(name).log")
            }
            let deployment = Deployment(root: root, programs: programs)
            let health = try await deployment.gateway("health", "--wait", "30")
            guard health.status == 0 else { throw NotReady(report: health.output + health.errors) }
            return try await body(deployment)
        }
    }

    private static func start(
        _ name: String, root: String, arguments: [String] = [], errors: String?
    ) throws -> RunningProgram {
        name == "gateway"
            ? try Program(name).start(["serve", "--root", root] + arguments, errors: errors)
            : try Program(name + "-service").start(["--root", root] + arguments, errors: errors)
    }

    /// Restarts a program that has exited, and runs `body`.
    public func restarting<Result>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let program = try Self.start(name, root: root, errors: nil)
        defer { program.send(SIGKILL) }
        guard await program.errors.wait(for: "serving on") else { throw NotReady(report: program.errors.text) }
        return try await body()
    }

    /// The programs did not become ready.
    public struct NotReady: Error {
        public let report: String
    }

    private static func seedPlugins(_ root: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
        for service in services {
            let enriches =
                service == "comments"
                ? #","enriches":[{"item":"feed","method":"comments.counts","as":"comments"}]"# : ""
            let manifest = """
                {"name":"\(service)","socket":"\(service).sock","contracts":{"\(service)":1},"required":true\(enriches)}
                """
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(root)/plugins.d/\(service).json"))
        }
    }

    /// Runs a command of the gateway's command line against this deployment.
    public func gateway(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Program.Outcome {
        var environment = environment
        environment["LC_ALL"] = environment["LC_ALL"] ?? "C.UTF-8"
        environment["ROOT"] = root
        return try await Program("gateway").run(arguments, environment: environment, input: input)
    }

    public func program(_ name: String) -> RunningProgram? { programs[name] }

    /// The port that the gateway's start line names.
    public func httpPort() throws -> Int {
        let line = try log("gateway")
        guard let port = line.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/).flatMap({ Int($0.output.1) }) else {
            throw NotReady(report: line)
        }
        return port
    }

    /// The log of a program.
    public func log(_ name: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(name).log", encoding: .utf8)
    }
}
