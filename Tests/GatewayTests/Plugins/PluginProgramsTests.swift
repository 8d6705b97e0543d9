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
            let printed = open(root + "/printed", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            defer { close(printed) }
            let programs = PluginPrograms(
                registry: registry, root: Root(root), logger: log.logger, gateway: Program.directory + "/gateway",
                log: printed)
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
                    of: PluginProcess.inherited + [
                        "ROOT", "PYTHONUNBUFFERED", ProgramMark.variable, "PWD", "OLDPWD", "SHLVL", "_",
                    ]))
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

    @Test func `each line that a program prints begins with the plugin's name, and cannot look like the gateway's`()
        async throws
    {
        try await with { world in
            let forged = "2026-01-01T00:00:00Z notice gateway: serving on /x"
            // A child that has left the group keeps the output open.
            let script = #"""
                setsid sleep 1000 & echo $! > "$ROOT/child"
                echo '\#(forged)'; printf 'a\r\#(forged)\033[2K\nlast' >&2; exit 3
                """#
            try await world.run(script)
            try await eventually { world.log.lines.contains { $0.contains("exit code 3") } }
            if let child = world.lines("child").first.flatMap({ Int32($0) }) { kill(child, SIGKILL) }
            let expected = [
                "plugin likes: \(forged)", #"plugin likes: a\r\#(forged)\u{1B}[2K"#, "plugin likes: last",
            ]
            #expect(world.lines("printed") == expected)
        }
    }

    @Test func `a line of the greatest length stays one, and a longer one becomes two`() {
        let longest = String(repeating: "a", count: MarkedLines.longestLine - "plugin likes: \n".utf8.count)
        func marked(_ text: String) -> [String] {
            var lines = MarkedLines(plugin: "likes")
            let bytes = Array(text.utf8)
            return lines.add(bytes.prefix(7)) + lines.add(bytes.dropFirst(7)) + lines.end()
        }
        #expect(marked(longest + "\n") == ["plugin likes: \(longest)\n"])
        #expect(marked(longest) == ["plugin likes: \(longest)\n"])
        #expect(marked(longest + "b\n") == ["plugin likes: \(longest)\n", "plugin likes: b\n"])
        #expect(marked("one\r\n\ntwo\n") == ["plugin likes: one\n", "plugin likes: \n", "plugin likes: two\n"])
        // A character stays whole.
        let short = String(longest.dropLast(2))
        #expect(marked(short + "😀\n") == ["plugin likes: \(short)\n", "plugin likes: 😀\n"])
        #expect(marked("").isEmpty)
        // Escapes are longer than what they stand for.
        for text in [String(repeating: "\u{1B}", count: 4_000), String(repeating: "\u{202E}", count: 900)] {
            let lines = marked(text + "\n")
            #expect(lines.allSatisfy { $0.utf8.count <= MarkedLines.longestLine && $0.hasPrefix("plugin likes: ") })
            #expect(lines.map { $0.dropFirst(14).dropLast() }.joined() == Escaping.visible(text))
        }
    }

    @Test func `children of a program whose gateway was killed are killed by the next one, and no others`() async throws
    {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: false)
            let program = #"sleep 1000 & echo $! >> "$ROOT/out"; setsid sleep 1000 & echo $! >> "$ROOT/out"; wait"#
            // A shell in place of the gateway. It makes a group for the program.
            let start = "'\(Program.directory)/gateway' \(RunPlugin.name) $$ '\(root)' sh -c '\(program)'"
            let gateway = try Program(path: "/bin/bash").start(
                ["-c", "set -m; ROOT='\(root)' \(start) & wait"], errors: nil)
            defer { gateway.send(SIGKILL) }
            func lines() -> [String] {
                let text = try? String(contentsOfFile: root + "/out", encoding: .utf8)
                return (text ?? "").split(separator: "\n").map(String.init)
            }
            try await eventually { lines().count == 2 }
            let (child, other) = (lines()[0], lines()[1])
            #expect(ProgramMark.killOrphans(of: Root(root)).isEmpty)
            gateway.send(SIGKILL)
            _ = await gateway.ended()
            #expect(ProgramMark.killOrphans(of: Root(root + "/other")).isEmpty)
            // The program is among them, if the kernel has not killed it yet.
            #expect(ProgramMark.killOrphans(of: Root(root)).contains { "\($0)" == child })
            try await eventually { !Self.isAlive(child) }
            #expect(Self.isAlive(other))
            if let other = Int32(other) { kill(other, SIGKILL) }
        }
    }

    @Test func `the pauses grow to half a minute, and begin again after half a minute`() {
        var pause = RestartPause()
        let pauses = (1...32).map { _ in pause.next(after: .seconds(29)).components.seconds }
        #expect(pauses == (1...30).map { $0 } + [30, 30])
        #expect(pause.next(after: .seconds(30)) == .seconds(1))
    }
}
