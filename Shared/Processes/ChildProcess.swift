import Foundation
import Glibc

/// A program that this process has started with `posix_spawn`.
///
/// Foundation's `Process` is not used: it lists the open files of this process with `readdir` and reads past the end of the list
/// when there are more than a thousand, and it cannot start a process group.
public struct ChildProcess: Sendable {
    /// The process id. It stays reserved until `end` has returned.
    public let id: pid_t

    /// Why a program was not started, for the operator.
    public struct NotStarted: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Starts a program with the default signal handling.
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - environment: all environment variables of the program. It inherits none.
    ///   - files: the descriptors for its standard input, output and error. It inherits no others, because a copy of a connection
    ///     would keep that open.
    ///   - leadsGroup: whether it leads a process group of its own, which has the same id. A signal to the group also reaches the
    ///     program's children.
    /// - Returns: the process. The caller must call `end` once, or it remains as a zombie.
    public static func start(
        _ command: [String], environment: [String: String], files: [Int32], leadsGroup: Bool = false
    ) throws(NotStarted) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, file) in files.enumerated() { posix_spawn_file_actions_adddup2(&actions, file, Int32(target)) }
        guard let closeFrom, closeFrom(&actions, Int32(files.count)) == 0 else {
            throw NotStarted(description: "the C library cannot close inherited files: glibc 2.34 or later is needed")
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The program must not inherit this process's signal handling.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // 0: the group gets the id of the process. Applied only with the flag.
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw NotStarted(description: "cannot start \(command[0]): \(String(cString: strerror(code)))")
        }
        return ChildProcess(id: id)
    }

    /// Blocks this thread until the process has exited. Its id stays reserved.
    public func waitForExit() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Blocks this thread until the process has exited, and releases its id.
    /// - Returns: the exit code; after a signal, 128 plus its number.
    public func end() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// In the C library, but not in its Swift module.
    private static let closeFrom: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32)? =
        dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
            unsafeBitCast(
                $0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
        }
}
