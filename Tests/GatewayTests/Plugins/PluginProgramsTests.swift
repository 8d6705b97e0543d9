import Foundation
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// The programs of plugins, as real processes that the gateway's program becomes. Time passes only where a test lets it.
struct PluginProgramsTests {
    private struct World {
        let root: String
        let registry: PluginRegistry
        let log: RecordedLog
        let clock: ManualClock

        /// Puts one plugin into force, whose program is a script of the shell; nil for none.
        func run(_ script: String?) async throws {
            guard let script else { return registry.replace([], []) }
            let manifest = PluginManifest(
                name: "likes", socket: "likes.sock", contracts: [:], required: false, timeout: nil,
                run: ["sh", "-c", script])
            let plugin = try await Plugin(
                manifest, root: root, executor: registry.executor, ownInstance: "1", logger: log.logger)
            registry.replace([plugin], [])
        }

        /// What the programs have written into a file, a line each.
        func lines(_ name: String = "out") -> [String] {
            let text = try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
            return (text ?? "").split(separator: "\n").map(String.init)
        }

        func wait(forLines count: Int, _ name: String = "out") async throws {
            try await eventually { lines(name).count >= count }
        }
    }

    /// Runs the programs of a registry beside the body, and ends them.
    private func with(_ body: (World) async throws -> Void) async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: false)
            let (log, clock) = (RecordedLog(), ManualClock())
            let registry = PluginRegistry(executor: .timed(by: clock))
            let programs = PluginPrograms(
                registry: registry, root: Root(root), logger: log.logger, gateway: Program.directory + "/gateway")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await programs.run() }
                defer { group.cancelAll() }
                try await body(World(root: root, registry: registry, log: log, clock: clock))
            }
        }
    }

    /// A zombie, whose parent has not waited for it, is not alive.
    private static func isAlive(_ id: String) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return false }
        return !status.contains("State:\tZ")
    }

    @Test func `a program runs in the folder of manifests, with ROOT and without the gateway's secrets`() async throws {
        try await with { world in
            try await world.run(#"pwd >> "$ROOT/out"; env >> "$ROOT/out"; echo end >> "$ROOT/out"; sleep 1000"#)
            try await eventually { world.lines().last == "end" }
            let lines = world.lines()
            #expect(lines.first == world.root + "/plugins.d" && lines.contains("ROOT=" + world.root))
            let names = Set(lines.dropFirst().dropLast().compactMap { $0.split(separator: "=").first.map(String.init) })
            // The shell sets some itself.
            #expect(
                names.isSubset(
                    of: PluginProcess.inherited + ["ROOT", "PYTHONUNBUFFERED", "PWD", "OLDPWD", "SHLVL", "_"]))
        }
    }

    @Test func `it stops with its children when the manifest is gone, and a changed one restarts it`() async throws {
        try await with { world in
            func script(_ file: String) -> String { #"sleep 1000 & echo $! >> "$ROOT/\#(file)"; wait"# }
            try await world.run(script("one"))
            try await world.wait(forLines: 1, "one")
            let child = world.lines("one")[0]
            try await world.run(script("two"))
            try await world.wait(forLines: 1, "two")
            #expect(!Self.isAlive(child) && world.lines("one").count == 1)
            try await world.run(nil)
            try await eventually { !Self.isAlive(world.lines("two")[0]) }
            try await world.run(script("three"))
            try await world.wait(forLines: 1, "three")
        }
    }

    @Test func `one that exits is started again after one second, then two, and at once when the manifest changes`()
        async throws
    {
        try await with { world in
            try await world.run(#"echo a >> "$ROOT/out"; exit 3"#)
            for (count, pause) in [(1, 1), (2, 2), (3, 3)] {
                try await eventually {
                    world.log.lines.contains { $0.contains("exit code 3; it is started again in \(pause) s") }
                }
                #expect(world.lines().count == count)
                await world.clock.advance(by: .seconds(Int64(pause)), once: 1)
            }
            try await world.wait(forLines: 4)
            try await world.run(#"echo a >> "$ROOT/out"; exit 4"#)
            try await world.wait(forLines: 5)
        }
    }

    @Test func `a program that cannot be executed is named in the log`() async throws {
        try await with { world in
            try await world.run(nil)
            let outcome = try await Program("gateway").run([
                RunPlugin.name, "\(getpid())", world.root, "./absent", "--version",
            ])
            #expect(outcome.status == 69 && outcome.errors.contains("cannot execute ./absent: No such file"))
        }
    }

    @Test func `one that ignores SIGTERM or is stopped is killed, also when the gateway ends`() async throws {
        var ids: [String] = []
        try await with { world in
            try await world.run(#"trap '' TERM; echo $$ >> "$ROOT/out"; while :; do sleep 1000; done"#)
            try await world.wait(forLines: 1)
            try await world.run(nil)
            let stubborn = world.lines()[0]
            await world.clock.passing(inStepsOf: TimeAmount(PluginProcess.stopTime)) {
                try? await eventually { !Self.isAlive(stubborn) }
            }
            try await world.run(#"echo $$ >> "$ROOT/out"; sleep 1000"#)
            try await world.wait(forLines: 2)
            ids = world.lines()
            kill(Int32(ids[1]) ?? 0, SIGSTOP)
        }
        #expect(!ids.isEmpty && !ids.contains(where: Self.isAlive))
    }

    @Test func `the pauses grow to half a minute, and begin again after half a minute`() {
        var pause = RestartPause()
        let pauses = (1...32).map { _ in pause.next(after: .seconds(29)).components.seconds }
        #expect(pauses == (1...30).map { $0 } + [30, 30])
        #expect(pause.next(after: .seconds(30)) == .seconds(1))
    }
}
