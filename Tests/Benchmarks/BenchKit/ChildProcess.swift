import Foundation

/// A program that was started for a measurement.
///
/// Foundation's `Process` is not used, because the times of `exec` and of the exit matter here: it detects a child's exit only
/// when the last inherited descriptor is closed, and waits in a run loop. Children stay in our process group, so that ^C ends
/// them too.
package struct ChildProcess {
    package let id: pid_t

    /// The time just before the start, from `WallClock`.
    package let startedAt: Int64

    /// The descriptor of its standard output; nil unless requested.
    private let output: Int32?

    /// - Parameter command: the program's path and its arguments.
    package static func start(_ command: [String], readingOutput: Bool = false) throws -> ChildProcess {
        var ends: [Int32] = [-1, -1]
        guard !readingOutput || pipe(&ends) == 0 else { throw Failure("pipe: \(errno)") }
        // Another child that inherited it would keep it open.
        for end in ends where readingOutput { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        if readingOutput {
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var id: pid_t = 0
        let startedAt = WallClock.now()
        let code = posix_spawnp(&id, command[0], &actions, nil, &arguments, environ)
        if readingOutput { close(ends[1]) }
        guard code == 0 else {
            if readingOutput { close(ends[0]) }
            throw Failure("\(command[0]): \(String(cString: strerror(code)))")
        }
        return ChildProcess(id: id, startedAt: startedAt, output: readingOutput ? ends[0] : nil)
    }

    /// The outcome of a program.
    package enum Outcome {
        /// Exit code 0.
        case done(output: Data)
        /// Another exit code, or a signal.
        case failed(output: Data)
        /// It exceeded its time and was killed.
        case late
    }

    /// Waits until the program exits, and kills it after the given time.
    package func end(within seconds: Double) -> Outcome {
        defer { if let output { close(output) } }
        let limit = MonotonicTime.now() + Int64(seconds * 1e9)
        guard let text = readOutput(until: limit) else {
            kill(id, SIGKILL)
            _ = wait()
            return .late
        }
        return wait() == 0 ? .done(output: text) : .failed(output: text)
    }

    /// Stops it with SIGTERM, and kills it if it does not exit in time.
    package func stop() {
        kill(id, SIGTERM)
        for _ in 0..<2_000 {
            if waitpid(id, nil, WNOHANG) != 0 { return }
            usleep(1_000)
        }
        kill(id, SIGKILL)
        _ = wait()
    }

    /// - Throws: when it exits before it accepts connections.
    package func waitUntilServing(at socket: String) throws {
        while !UnixAddress(socket).isServed {
            guard isRunning else { throw Failure("the server of \(socket) has exited") }
            usleep(200)
        }
    }

    /// The processor time of its threads so far, in microseconds.
    package var processorTime: Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .nan }
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// Whether it runs. Must not be called after `end`.
    package var isRunning: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == 0
    }

    /// - Returns: nil when it has not closed its output in time.
    private func readOutput(until limit: Int64) -> Data? {
        guard let output else { return Data() }
        var text = Data()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let left = (limit - MonotonicTime.now()) / 1_000_000
            guard left > 0, poll(&ready, 1, Int32(left)) > 0 else { return nil }
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return text }
            text += buffer.prefix(count)
        }
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// The reason why something cannot be measured.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
