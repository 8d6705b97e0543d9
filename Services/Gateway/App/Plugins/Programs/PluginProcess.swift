import Foundation
import Glibc
import NIOCore
import Processes
import RPC
import ServiceKit
import Timing

/// A running program of a plugin, with its children: a process group.
final class PluginProcess: Sendable {
    let id: pid_t

    /// The exit code, once the program has ended.
    private let end: Watched<Int32?>

    /// How long a program may finish its calls after SIGTERM.
    static let stopTime = Duration.seconds(4)

    /// The variables that a program inherits: third parties' code gets no secrets of the gateway's environment.
    static let inherited = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR",
    ]

    /// Must be called on a thread that stays: `RunPlugin` asks the kernel to end the program with it.
    /// - Parameters:
    ///   - plugin: its name, with which each line begins that the program prints.
    ///   - log: where the lines go.
    init(_ command: [String], plugin: String, root: Root, log: Int32) throws {
        var environment = ProcessInfo.processInfo.environment.filter { Self.inherited.contains($0.key) }
        environment["ROOT"] = root.path
        environment["PYTHONUNBUFFERED"] = "1"
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw ChildProcess.NotStarted(description: String(cString: strerror(errno))) }
        defer { close(input) }
        let output = try ProgramOutput()
        defer { close(output.descriptor) }
        let process: ChildProcess
        do {
            process = try ChildProcess.start(
                command, environment: environment, files: [input, output.descriptor, output.descriptor],
                leadsGroup: true)
        } catch {
            output.discard()
            throw error
        }
        (id, end) = (process.id, Watched(nil))
        output.start(plugin: plugin, log: log)
        // Another thread for each program. Both end with the program.
        Thread.detachNewThread { [end] in
            process.waitForExit()
            // Children that are left, while the number of the group is still reserved.
            kill(-process.id, SIGKILL)
            output.finish()
            end.withLock { $0 = process.end() }
        }
    }

    var exitCode: Int32? { end.withLock { $0 } }

    func waitForEnd() async { await end.wait { $0 != nil } }

    /// Lets the program finish, then kills it with its children. Also works in a cancelled task.
    func stop(on executor: LoopExecutor) async {
        send(SIGTERM)
        // A stopped process does not handle SIGTERM.
        send(SIGCONT)
        let loop = executor.loop
        loop.execute {
            executor.clock.schedule(in: TimeAmount(Self.stopTime), on: loop) { self.send(SIGKILL) }
        }
        await end.waitDespiteCancellation { $0 != nil }
    }

    /// Sends a signal to the group, whose number is reserved until the end.
    private func send(_ signal: Int32) { end.withLock { if $0 == nil { kill(-id, signal) } } }
}
