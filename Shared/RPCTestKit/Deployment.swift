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
    ///   - settings: the content of `config.json`.
    public static func with<Result>(
        gateway arguments: [String] = [], imageData: [String] = [], manifests: [String: String] = [:],
        settings: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Deployment) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { root in
            try seedPlugins(root)
            if let settings { try Data(settings.utf8).write(to: URL(fileURLWithPath: "\(root)/config.json")) }
            for (name, text) in manifests {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/plugins.d/\(name).json"))
            }
            return try await with(root: root, gateway: arguments, imageData: imageData, body)
        }
    }

    /// The same in an existing root, which has the manifests.
    public static func with<Result>(
        root: String, gateway arguments: [String] = [], imageData: [String] = [],
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Deployment) async throws -> Result
    ) async throws -> Result {
        var programs: [String: RunningProgram] = [:]
        defer { for program in programs.values { program.send(SIGKILL) } }
        for name in services {
            programs[name] = try start(name, root: root, name == "image-data" ? imageData : [])
        }
        for program in programs.values { try await program.serves() }
        // After the services, so that its first attempt to reach them succeeds.
        let gateway = try start("gateway", root: root, arguments)
        programs["gateway"] = gateway
        try await gateway.serves()
        return try await body(Deployment(root: root, programs: programs))
    }

    private static func start(_ name: String, root: String, _ arguments: [String] = []) throws -> RunningProgram {
        let isGateway = name == "gateway"
        // On a slow machine any request may be slow.
        let words = isGateway ? ["serve", "--slow-request", "3600"] : []
        return try Program(isGateway ? name : name + "-service").start(
            words + ["--root", root] + arguments, errors: nil)
    }

    /// Starts a program that is not running, also one of a further plugin. Returns when it serves.
    public func start(_ name: String) async throws -> RunningProgram {
        let program = try Self.start(name, root: root)
        do {
            try await program.serves()
        } catch {
            program.send(SIGKILL)
            throw error
        }
        return program
    }

    /// Restarts a program that has exited, and runs `body`.
    public func restarting<Result>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let program = try await start(name)
        defer { program.send(SIGKILL) }
        let result = try await body()
        program.send(SIGKILL)
        // Another one can start only when its locks are free.
        _ = await program.ended()
        return result
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
        try await gateway(arguments, environment: environment, input: input)
    }

    public func gateway(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> Program.Outcome {
        var environment = environment
        environment["LC_ALL"] = environment["LC_ALL"] ?? "C.UTF-8"
        environment["ROOT"] = root
        return try await Program("gateway").run(arguments, environment: environment, input: input)
    }

    /// - Parameter name: `gateway`, `feed`, `comments` or `image-data`.
    public func program(_ name: String) throws -> RunningProgram {
        guard let program = programs[name] else { throw POSIXError(.ESRCH) }
        return program
    }

    /// The port that the gateway's start line names.
    public func httpPort() throws -> Int { try program("gateway").httpPort() }
}

extension RunningProgram {
    /// Waits until the program serves.
    /// - Throws: `NotServing` when it exits before.
    public func serves() async throws {
        guard await errors.wait(for: "serving on") else { throw NotServing(log: errors.text) }
    }

    /// The port that a gateway's start line names.
    public func httpPort() throws -> Int {
        guard let port = errors.text.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/).flatMap({ Int($0.output.1) }) else {
            throw NotServing(log: errors.text)
        }
        return port
    }
}

/// A program does not serve.
public struct NotServing: Error {
    /// What it has written to standard error.
    public let log: String
}
