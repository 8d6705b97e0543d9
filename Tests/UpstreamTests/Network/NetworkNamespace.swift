import Foundation
import RPCTestKit

/// A separate network for a test, in which 93.184.216.34 is this machine and the test defines the answers of the DNS server.
struct NetworkNamespace: Sendable {
    private let name: String

    /// Whether this machine allows network namespaces.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let command = "n=if-probe-$$; ip netns add $n && ip netns del $n && command -v python3"
        // Also false when no shell can be started.
        return (try? Spawn.run(["/bin/sh", "-c", command])) == 0
    }()

    /// Runs `body` while the network exists. A web server on port 80 of each address answers with its address.
    /// - Parameter answers: the addresses of each name; those after `then` apply from the second lookup on.
    static func with<Result>(
        _ answers: [String: [String]], _ body: (NetworkNamespace) async throws -> Result
    ) async throws -> Result {
        let namespace = NetworkNamespace(name: "if-\(UUID().uuidString.prefix(8))")
        let configuration = "/etc/netns/\(namespace.name)"
        try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: configuration) }
        try Data("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n".utf8)
            .write(to: URL(fileURLWithPath: configuration + "/resolv.conf"))
        try await shell("ip netns add \(namespace.name)")
        let servers: RunningProgram
        do {
            try await shell(
                """
                ip -n \(namespace.name) link set lo up
                ip -n \(namespace.name) address add 93.184.216.34/32 dev lo
                """)
            let script = Program.repository + "/Tests/UpstreamTests/Network/servers.py"
            servers = try Program(path: "/usr/bin/env").start(
                ["ip", "netns", "exec", namespace.name, "python3", script]
                    + answers.map { "\($0)=\($1.joined(separator: ","))" },
                errors: nil)
        } catch {
            try await shell("ip netns del \(namespace.name)")
            throw error
        }
        do {
            guard await servers.errors.wait(for: "ready") else { throw Failure(log: servers.errors.text) }
            let result = try await body(namespace)
            try await end(servers, namespace)
            return result
        } catch {
            try await end(servers, namespace)
            throw error
        }
    }

    /// Runs a program in this network.
    func run(_ command: [String], environment: [String: String]) async throws -> Program.Outcome {
        try await Program(path: "/usr/bin/env")
            .run(["ip", "netns", "exec", name] + command, environment: environment)
    }

    private static func end(_ servers: RunningProgram, _ namespace: NetworkNamespace) async throws {
        servers.send(SIGKILL)
        _ = await servers.ended()
        try await shell("ip netns del \(namespace.name)")
    }

    private static func shell(_ command: String) async throws {
        let outcome = try await Program(path: "/bin/sh").run(["-ec", command])
        guard outcome.status == 0 else { throw Failure(log: outcome.errors) }
    }

    /// The network or its servers could not be created.
    struct Failure: Error {
        let log: String
    }
}
