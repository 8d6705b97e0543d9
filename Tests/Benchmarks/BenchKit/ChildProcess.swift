import Foundation

/// A program that was started for a measurement.
///
/// Foundation's `Process` sees a child's end only when the last descriptor that it inherited is closed, and waits in a
/// run loop; here the time of `exec` and of the end matter. Children stay in our process group, so that ^C ends them too.
package struct ChildProcess {
    package let id: pid_t

    /// Just before it was started, by `WallClock`.
    package let startedAt: Int64

    /// What it prints; nil unless that was wanted.
    private let output: Int32?

    /// - Parameter command: the program's path and its arguments.
    package static func start(_ command: [String], readingOutput: Bool = false) throws -> ChildProcess {
        var ends: [Int32] = [-1, -1]
        guard !readingOutput || pipe(&ends) == 0 else { throw Failure("pipe: \(errno)") }
        // Another child that had it too would keep it open.
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

    /// How a program has ended.
    package enum Outcome {
        /// With exit code 0.
        case done(output: Data)
        /// With another one, or by a signal.
        case failed(output: Data)
        /// It had to be killed.
        case late
    }

    /// Waits for the end, and kills it when that takes longer.
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

    /// Ends it, waiting for an orderly end for a while.
    package func stop() {
        kill(id, SIGTERM)
        for _ in 0..<2_000 {
            if waitpid(id, nil, WNOHANG) != 0 { return }
            usleep(1_000)
        }
        kill(id, SIGKILL)
        _ = wait()
    }

    /// - Throws: when it ends before it takes connections there.
    package func waitUntilServing(at socket: String) throws {
        while !UnixAddress(socket).isServed {
            guard isRunning else { throw Failure("what should serve \(socket) has ended") }
            usleep(200)
        }
    }

    /// What its threads have used so far, in microseconds.
    package var processorTime: Double {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .nan }
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// Not asked once it has been waited for.
    package var isRunning: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == 0
    }

    /// - Returns: nil when it has not closed its output by then.
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

/// Why something cannot be measured.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
