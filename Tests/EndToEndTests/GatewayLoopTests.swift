import Foundation
import RPC
import RPCTestKit
import Testing

/// Gateways that are each other's plugins.
struct GatewayLoopTests {
    private static func write(_ manifest: String, to root: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: URL(filePath: root + "/plugins.d/twin.json"))
    }

    private static func run(_ arguments: [String], _ root: String) async throws -> Program.Outcome {
        try await Program("gateway").run(arguments, environment: ["ROOT": root, "LC_ALL": "C"])
    }

    @Test func `two gateways forward a call to each other four times, and then refuse it`() async throws {
        try await withTemporaryDirectory { directory in
            let roots = ["a", "b"].map { "\(directory)/\($0)" }
            for (root, other) in zip(roots, roots.reversed()) {
                try Self.write(#"{"name":"twin","socket":"\#(other)/run/gateway.sock","contracts":{}}"#, to: root)
            }
            let programs = try roots.map { try Program("gateway").start(["serve", "--root", $0], errors: nil) }
            defer { for program in programs { program.send(SIGKILL) } }
            for program in programs { #expect(await program.errors.wait(for: "serving on")) }
            var call = try await Self.run(["call", "twin.anything"], roots[0])
            // The gateways may still be connecting.
            while call.status == 69 { call = try await Self.run(["call", "twin.anything"], roots[0]) }
            #expect(call.status == 65, "\(call.errors)")
            #expect(call.errors.contains("4 gateways have forwarded the call already"), "\(call.errors)")
            // These ask all plugins, which ask all plugins.
            for command in ["health", "describe", "plugins"] {
                let outcome = try await Self.run([command], roots[0])
                #expect(outcome.status <= 1, "\(command): \(outcome.errors)")
            }
            let stats = try await Self.run(["stats"], roots[1])
            #expect(stats.status == 0 && !stats.output.contains("overloaded"))
        }
    }

    @Test func `a gateway behind a proxy of its own socket is recognised by its instance`() async throws {
        try await withTemporaryDirectory { root in
            try await FaultProxy.with(
                .pieces, seed: 1, faultyConnections: 0, to: SocketPath(root + "/run/gateway.sock")
            ) { proxy in
                try Self.write(#"{"name":"twin","socket":"\#(proxy.path)","contracts":{}}"#, to: root)
                let gateway = try Program("gateway").start(["serve", "--root", root], errors: nil)
                defer { gateway.send(SIGKILL) }
                #expect(await gateway.errors.wait(for: "it is this process itself"))
                let call = try await Self.run(["call", "twin.anything"], root)
                #expect(call.status == 69 && call.errors.contains("it is this process itself"), "\(call.errors)")
                let plugins = try await Self.run(["plugins"], root)
                #expect(plugins.output.contains("incompatible"), "\(plugins.output)")
            }
        }
    }
}
