import ArgumentParser
import Foundation
import Glibc

/// Becomes the program of a plugin, which the kernel then ends with the gateway.
struct RunPluginCommand: ParsableCommand {
    static let name = "run-plugin"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Become the program of a plugin. The gateway starts it.", shouldDisplay: false)

    @Argument(help: ArgumentHelp("The deployment.", valueName: "root")) var root: String

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("The program and its arguments.", valueName: "word"))
    var words: [String]

    /// `EX_UNAVAILABLE` if the program cannot be executed.
    func run() throws {
        let parent = getppid()
        Self.endWithParent()
        // The parent may have ended before.
        guard getppid() == parent else { return }
        let folder = "\(root)/plugins.d"
        guard chdir(folder) == 0 else { throw refusal("chdir to \(folder)") }
        // A file in the folder precedes those of PATH.
        let isInFolder = words[0].contains("/") || FileManager.default.fileExists(atPath: words[0])
        let program = isInFolder && !words[0].hasPrefix("/") ? "./" + words[0] : words[0]
        // This thread of the pool blocks all signals, and a program inherits that.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = words.map { strdup($0) } + [nil]
        execvp(program, &arguments)
        throw refusal("execute \(words[0])")
    }

    private func refusal(_ what: String) -> ExitCode {
        let reason = String(cString: strerror(errno))
        FileHandle.standardError.write(Data("gateway: cannot \(what): \(reason)\n".utf8))
        return ExitCode(EX_UNAVAILABLE)
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
