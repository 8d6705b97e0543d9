import Foundation

/// Starts programs with `posix_spawn`.
///
/// Foundation's `Process` is not used: it lists the open files of this process with `readdir` and reads past the end of the list
/// when there are more than a thousand. A test with so many connections would crash others.
public enum Spawn {
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - files: the descriptors for its standard input, output and error. It inherits no others, because a copy of a
    ///     connection would keep that open.
    /// - Throws: `POSIXError` when it cannot be started.
    static func start(_ command: [String], environment: [String: String], files: [Int32]) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, file) in files.enumerated() { posix_spawn_file_actions_adddup2(&actions, file, Int32(target)) }
        guard let closeFrom, closeFrom(&actions, Int32(files.count)) == 0 else { throw POSIXError(.ENOSYS) }

        // The child must not inherit this process's signal handling.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        return id
    }

    /// Runs a program and blocks this thread until it exits.
    /// - Parameters:
    ///   - input: the file for standard input.
    ///   - output: the file for standard output, which must exist.
    /// - Returns: the exit code; after a signal, 128 plus its number.
    public static func run(_ command: [String], input: String = "/dev/null", output: String = "/dev/null") throws
        -> Int32
    {
        let (reading, writing) = (FileHandle(forReadingAtPath: input), FileHandle(forWritingAtPath: output))
        guard let reading, let writing else { throw POSIXError(.ENOENT) }
        let files = [reading, writing, writing].map(\.fileDescriptor)
        return end(of: try start(command, environment: ProcessInfo.processInfo.environment, files: files))
    }

    /// Blocks until a child exits.
    /// - Returns: the exit code; after a signal, 128 plus its number.
    static func end(of id: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// `posix_spawn_file_actions_addclosefrom_np`, which is in the C library but not in its Swift module.
    private static let closeFrom: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32)? =
        {
            guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return nil }
            return unsafeBitCast(
                symbol, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
        }()
}
