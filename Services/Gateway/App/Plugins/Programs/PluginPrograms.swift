import Foundation
import Glibc
import Logging
import NIOCore
import Processes
import ServiceKit
import Timing

/// Runs the programs of plugins: those whose manifests in force have `run`.
///
/// A changed `run` restarts the program, and it stops when the manifest is gone or has no `run` any more. A program that exits is
/// started again.
struct PluginPrograms: Sendable {
    let registry: PluginRegistry
    let root: Root
    let logger: Logger

    /// The gateway's own program, which becomes the program of a plugin.
    var gateway = "/proc/self/exe"

    /// Where the lines go that the programs print.
    var log = STDERR_FILENO

    /// Runs the programs until the task is cancelled, and returns when all have ended.
    func run() async {
        let orphans = ProgramMark.killOrphans(of: root)
        if !orphans.isEmpty {
            let list = orphans.map(String.init).joined(separator: ", ")
            logger.notice("processes of plugins whose gateway was killed are killed: \(list)")
        }
        await withDiscardingTaskGroup { group in
            var names: Set<String> = []
            while !Task.isCancelled {
                for name in registry.namesWithProgram where names.insert(name).inserted {
                    // The task of a name stays, for later manifests of the name.
                    group.addTask { await follow(name) }
                }
                await registry.wait { [names] plugins, _ in
                    plugins.contains { $0.manifest.run != nil && !names.contains($0.name) }
                }
            }
        }
    }

    private func follow(_ name: String) async {
        var pause = RestartPause()
        while !Task.isCancelled {
            guard let words = registry.run(of: name) else {
                await registry.wait { plugins, _ in plugins.contains { $0.name == name && $0.manifest.run != nil } }
                pause = RestartPause()
                continue
            }
            let start = registry.clock.now
            let exit: String
            do {
                guard let status = try await runOnce(name, words) else {
                    pause = RestartPause()
                    continue
                }
                exit = "ended with exit code \(status)"
            } catch {
                exit = "did not start: \(error)"
            }
            let time = pause.next(after: registry.clock.now - start)
            logger.error("the program of plugin \(name) \(exit); it is started again in \(time.components.seconds) s")
            await wait(time, orWhile: name, runs: words)
        }
    }

    /// - Returns: its exit code; nil if it was stopped, because it is not wanted any more.
    private func runOnce(_ name: String, _ words: [String]) async throws -> Int32? {
        let program = try await start(name, words)
        logger.notice("the program of plugin \(name) is started: process \(program.id)")
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await program.waitForEnd()
                return true
            }
            group.addTask {
                await isNotWanted(name, words)
                return false
            }
            let hasEnded = await group.next() ?? false
            group.cancelAll()
            if hasEnded, let status = program.exitCode { return status }
            await program.stop(on: registry.executor)
            logger.notice("the program of plugin \(name) is stopped")
            return nil
        }
    }

    private func start(_ name: String, _ words: [String]) async throws -> PluginProcess {
        let command = [gateway, RunPlugin.name, "\(getpid())", root.path] + words
        // The kernel ends the program when the thread that has started it ends. That of the loop stays.
        return try await registry.executor.loop.submit {
            try PluginProcess(command, plugin: name, root: root, log: log)
        }.get()
    }

    /// Returns when the manifest has other words or is gone, or the task is cancelled.
    private func isNotWanted(_ name: String, _ words: [String]) async {
        await registry.wait { plugins, _ in plugins.first { $0.name == name }?.manifest.run != words }
    }

    private func wait(_ time: Duration, orWhile name: String, runs words: [String]) async {
        await withTaskGroup(of: Void.self) { group in
            // Ends early when the task is cancelled.
            group.addTask { try? await registry.clock.sleep(for: time) }
            group.addTask { await isNotWanted(name, words) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// How long to wait until a program is started again: a second, then two and so on up to half a minute. A program that ran for a
/// while counts as new.
struct RestartPause {
    static let longest = Duration.seconds(30)
    static let longEnough = Duration.seconds(30)

    private var last = Duration.zero

    mutating func next(after time: TimeAmount) -> Duration {
        if Duration.nanoseconds(time.nanoseconds) >= Self.longEnough { last = .zero }
        last = min(last + .seconds(1), Self.longest)
        return last
    }
}

extension PluginRegistry {
    var namesWithProgram: [String] { plugins.filter { $0.manifest.run != nil }.map(\.name) }

    func run(of name: String) -> [String]? { plugins.first { $0.name == name }?.manifest.run }
}
