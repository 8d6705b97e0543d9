import Foundation
import Glibc

/// Becomes the program of a plugin, which the kernel then ends with the gateway: `gateway run-plugin PROCESS ROOT WORD…`. Only the
/// gateway uses it. No parser of options reads the words, which may be any.
enum RunPlugin {
    static let name = "run-plugin"

    /// - Parameter words: the process of the gateway, the deployment, and the program with its arguments.
    /// - Returns: the exit code if there is no program, `EX_UNAVAILABLE` if it cannot be executed.
    static func become(_ words: [String]) -> Int32 {
        guard words.count > 2, let parent = Int32(words[0]) else { return EX_USAGE }
        endWithParent()
        // The gateway may have ended before.
        guard getppid() == parent else { return EXIT_SUCCESS }
        if let mark = ProgramMark(gateway: parent, group: getpid()) { setenv(ProgramMark.variable, mark.text, 1) }
        let (folder, command) = (words[1] + "/plugins.d", Array(words[2...]))
        guard chdir(folder) == 0 else { return refusal("chdir to \(folder)") }
        // A file in the folder precedes those of PATH.
        let isInFolder = command[0].contains("/") || FileManager.default.fileExists(atPath: command[0])
        let program = isInFolder && !command[0].hasPrefix("/") ? "./" + command[0] : command[0]
        // This thread of the pool blocks all signals, and a program inherits that.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = command.map { strdup($0) } + [nil]
        execvp(program, &arguments)
        return refusal("execute \(command[0])")
    }

    private static func refusal(_ what: String) -> Int32 {
        let reason = String(cString: strerror(errno))
        FileHandle.standardError.write(Data("cannot \(what): \(reason)\n".utf8))
        return EX_UNAVAILABLE
    }

    /// Asks the kernel for SIGKILL when the parent's thread ends (`PR_SET_PDEATHSIG`). The next gateway starts the program at once, so
    /// one that ignores SIGTERM must not go on.
    private static func endWithParent() {
        // In the C library, but not in its Swift module, because it has a variable number of arguments.
        typealias Control = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        guard let prctl = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(prctl, to: Control.self)(1, CUnsignedLong(SIGKILL), 0, 0, 0)
    }
}
