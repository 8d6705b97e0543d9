import Foundation
import RPCTestKit
import Testing

/// A gateway whose plugins send without an end. Their messages have no effect, so nothing else would stop them.
struct FloodTests {
    /// The peak memory of a gateway of a debug build, in kilobytes.
    private static let mostMemory = 200_000

    @Test func `plugins that flood are disconnected, cost little memory, and affect no other plugin`() async throws {
        try await withTemporaryDirectory { root in
            for folder in ["plugins.d", "run"] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/\(folder)", withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let names = WildPlugin.floods + ["good"]
            var plugins: [String: WildPlugin] = [:]
            for name in names {
                plugins[name] = try await .start(name, at: "\(root)/run/\(name).sock")
                let manifest = #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{"\#(name)":1}}"#
                try Data(manifest.utf8).write(to: URL(filePath: "\(root)/plugins.d/\(name).json"))
            }
            defer { for plugin in plugins.values { plugin.process.send(SIGKILL) } }
            let gateway = try Program("gateway").start(["serve", "--root", root], errors: nil)
            defer { gateway.send(SIGKILL) }
            #expect(await gateway.errors.wait(for: "serving on"))
            let run: @Sendable (String...) async throws -> Program.Outcome = { (arguments: String...) in
                try await Program("gateway").run(arguments, environment: ["ROOT": root, "LC_ALL": "C"])
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in WildPlugin.floods {
                    group.addTask {
                        let outcome = try await run("call", "\(name).\(name)")
                        #expect([65, 69, 75].contains(outcome.status), "\(name): \(outcome.errors)")
                    }
                }
                for try await _ in group {
                    let other = try await run("call", "good.echo")
                    #expect(other.status == 0, "\(other.errors)")
                }
            }
            for name in WildPlugin.floods {
                #expect(await plugins[name]?.process.errors.wait(for: "disconnected") == true, "\(name)")
            }
            for name in WildPlugin.floods {
                let line = "plugin \(name) at \(root)/run/\(name).sock was disconnected"
                #expect(await gateway.errors.wait(for: line), "\(gateway.errors.text)")
            }
            let status = try String(contentsOfFile: "/proc/\(gateway.id)/status", encoding: .utf8)
            let peak = try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.output.1) })
            #expect(peak < Self.mostMemory)
        }
    }
}
