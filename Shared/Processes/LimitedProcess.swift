import Foundation
import Glibc
import Synchronization

/// Runs a program that reads untrusted bytes from its standard input and writes a result to its standard output, with limits of
/// time, memory and output.
///
/// Each run blocks a thread of its own; its caller limits their number.
public struct LimitedProcess: Sendable {
    let path: String
    let arguments: [String]
    let environment: [String: String]
    public var limits: Limits

    /// Bytes that the program can read from `attachmentPath`.
    public var attachment: Data?

    public static let attachmentPath = "/proc/self/fd/3"

    /// What one run may use. A run that exceeds a limit fails.
    public struct Limits: Sendable {
        /// What limits the work: the time of the processor does not depend on what else the machine does.
        public var processorSeconds = 5

        /// Ends a process that waits for ever.
        public var time = Duration.seconds(30)
        public var memoryBytes = 768 << 20

        /// The maximum size of a file. Not 0: libvips generates code, in a small file that it maps.
        public var fileBytes = 1 << 20

        /// The maximum number of bytes on standard output.
        public var outputBytes = 1 << 20

        public init() {}

        /// For a program of ours that reads and writes its own files: a day, and no other limit.
        public static let none: Limits = {
            var limits = Limits()
            limits.time = .seconds(86_400)
            (limits.processorSeconds, limits.memoryBytes, limits.fileBytes) = (.max, .max, .max)
            return limits
        }()
    }

    /// Why a run has no result.
    public enum Failure: Error, Equatable {
        case notStarted(String)
        case timedOut
        case tooMuchOutput

        /// The exit code, or 128 plus the number of the signal, and the beginning of the standard error.
        case failed(code: Int, String)
    }

    /// - Parameters:
    ///   - path: the path of the program.
    ///   - environment: all environment variables of the program. It inherits none.
    public init(path: String, arguments: [String], environment: [String: String], limits: Limits = Limits()) {
        (self.path, self.arguments, self.environment, self.limits) = (path, arguments, environment, limits)
    }

    /// Runs the program. If the task is cancelled, the program and its children are killed.
    /// - Throws: `Failure`, `CancellationError`.
    public func run(_ input: Data) async throws -> Data {
        let alarm = try Alarm()
        let output = try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                // Unowned, so that the alarm is closed when this function returns, even if the thread ends later.
                Thread.detachNewThread { [unowned alarm] in
                    continuation.resume(
                        with: Result {
                            var run = try Run(self, input, alarm)
                            return try run.output()
                        })
                }
            }
        } onCancel: {
            alarm.ring()
        }
        try Task.checkCancellation()
        return output
    }
}

/// Wakes a thread that waits in `poll`.
private final class Alarm: Sendable {
    let reading: Descriptor
    private let writing: Descriptor

    init() throws { (reading, writing) = try Descriptor.pipe() }

    func ring() { _ = withUnsafeBytes(of: UInt8(0)) { write(writing.number, $0.baseAddress, 1) } }
}

/// An open file of this process, which is closed when it is no longer referenced.
private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    static func pipe() throws(LimitedProcess.Failure) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw .system("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    /// A socket, because `send` can avoid SIGPIPE when the other side has closed it.
    static func sockets() throws(LimitedProcess.Failure) -> (own: Descriptor, other: Descriptor) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .system("socketpair")
        }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    /// A file in memory, which can be opened several times.
    static func memory(_ content: Data) throws(LimitedProcess.Failure) -> Descriptor {
        guard let number = memfd?("attachment", 1), number >= 0 else { throw .system("memfd_create") }
        let file = Descriptor(number)
        guard content.withUnsafeBytes({ write(number, $0.baseAddress, $0.count) }) == content.count else {
            throw .system("write")
        }
        return file
    }

    /// In the C library, but not in its Swift module. The flag 1 closes the file in other programs.
    private static let memfd: (@convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt)? =
        dlsym(nil, "memfd_create").map {
            unsafeBitCast($0, to: (@convention(c) (UnsafePointer<CChar>, CUnsignedInt) -> CInt).self)
        }
}

/// One run, on a thread that may block.
private struct Run {
    private let program: LimitedProcess
    private let deadline: ContinuousClock.Instant
    private let alarm: Alarm
    private let process: ChildProcess

    /// The bytes that are not written yet.
    private var input: Data.SubSequence
    private var stdin: Descriptor?
    private var stdout: Descriptor?
    private var stderr: Descriptor?
    private var result = Data()
    private var complaint = Data()

    /// The maximum size of the stored beginning of the standard error.
    private static let complaintBytes = 1_000

    init(_ program: LimitedProcess, _ input: Data, _ alarm: Alarm) throws(LimitedProcess.Failure) {
        (self.program, self.input, self.alarm) = (program, input[...], alarm)
        deadline = .now + program.limits.time
        let (own, other) = try Descriptor.sockets()
        let out = try Descriptor.pipe()
        let err = try Descriptor.pipe()
        var files = [other, out.writing, err.writing]
        if let attachment = program.attachment { files.append(try .memory(attachment)) }
        do throws(ChildProcess.NotStarted) {
            process = try ChildProcess.start(
                [program.path] + program.arguments, environment: program.environment,
                files: files.map(\.number), leadsGroup: true)
        } catch {
            throw .notStarted(error.description)
        }
        (stdin, stdout, stderr) = (own, out.reading, err.reading)
        withExtendedLifetime(files) {}
        // Set from here, because `posix_spawn` cannot: the program has no input yet, so nothing untrusted runs before.
        let limits = program.limits
        for (resource, value) in [
            (RLIMIT_AS, limits.memoryBytes), (RLIMIT_CPU, limits.processorSeconds), (RLIMIT_FSIZE, limits.fileBytes),
            (RLIMIT_CORE, 0),
            (RLIMIT_NOFILE, 64),
        ] where value < .max {
            guard process.limit(resource, to: value) else {
                kill(-process.id, SIGKILL)
                _ = process.end()
                throw .notStarted("cannot limit what \(program.path) may use")
            }
        }
    }

    /// Blocks until the program and its children have ended.
    mutating func output() throws -> Data {
        let outcome = Result { try exchange() }
        // The group also has the program's children. The number belongs to it until `end` returns.
        kill(-process.id, SIGKILL)
        let code = process.end()
        try outcome.get()
        guard code == 0 else {
            throw LimitedProcess.Failure.failed(code: Int(code), String(decoding: complaint, as: UTF8.self))
        }
        return result
    }

    /// Writes the input and reads the outputs until the program has exited.
    private mutating func exchange() throws {
        while stdout != nil || stderr != nil {
            var files = [
                pollfd(fd: alarm.reading.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stdout?.number ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stderr?.number ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stdin?.number ?? -1, events: Int16(POLLOUT), revents: 0),
            ]
            try wait(for: &files, until: deadline)
            if files[1].revents != 0, try read(stdout, into: \.result) == 0 { stdout = nil }
            if files[2].revents != 0, try read(stderr, into: \.complaint) == 0 { stderr = nil }
            guard result.count <= program.limits.outputBytes else { throw LimitedProcess.Failure.tooMuchOutput }
            complaint = complaint.prefix(Self.complaintBytes)
            if files[3].revents != 0 { writeInput() }
        }
        stdin = nil
        // A program that has closed its outputs may still run.
        while !hasExited {
            var files = [pollfd(fd: alarm.reading.number, events: Int16(POLLIN), revents: 0)]
            try? wait(for: &files, until: min(deadline, .now + .milliseconds(2)))
            if files[0].revents != 0 { throw CancellationError() }
            if .now >= deadline { throw LimitedProcess.Failure.timedOut }
        }
    }

    private func wait(for files: inout [pollfd], until time: ContinuousClock.Instant) throws {
        let left = max(.zero, time - .now) / .milliseconds(1)
        let count = poll(&files, nfds_t(files.count), Int32(left.rounded(.up)))
        if files[0].revents != 0 { throw CancellationError() }
        guard count > 0 || .now < time else { throw LimitedProcess.Failure.timedOut }
    }

    /// - Returns: 0 at the end.
    private mutating func read(_ file: Descriptor?, into bytes: WritableKeyPath<Run, Data>) throws -> Int {
        guard let file else { return 0 }
        let chunk = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var size = Glibc.read(file.number, buffer.baseAddress, buffer.count)
            while size < 0, errno == EINTR { size = Glibc.read(file.number, buffer.baseAddress, buffer.count) }
            guard size >= 0 else { throw LimitedProcess.Failure.system("read") }
            count = size
        }
        self[keyPath: bytes].append(contentsOf: chunk)
        return chunk.count
    }

    /// Writes as much as the program takes. A program that closes its input has enough.
    private mutating func writeInput() {
        guard let stdin else { return }
        let count = input.withUnsafeBytes {
            send(stdin.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        if count > 0 { input = input.dropFirst(count) }
        if input.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR { self.stdin = nil }
    }

    private var hasExited: Bool {
        var info = siginfo_t()
        // WNOWAIT: the number of the process stays reserved.
        return waitid(P_PID, id_t(process.id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
    }
}

extension ChildProcess {
    /// Sets a limit of the process.
    fileprivate func limit(_ resource: __rlimit_resource, to value: Int) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        return Self.prlimit?(id, CInt(resource.rawValue), &limit, nil) == 0
    }

    /// In the C library, but not in its Swift module.
    private static let prlimit:
        (@convention(c) (pid_t, CInt, UnsafePointer<rlimit>, UnsafeMutablePointer<rlimit>?) -> CInt)? =
            dlsym(nil, "prlimit").map {
                unsafeBitCast(
                    $0,
                    to: (@convention(c) (pid_t, CInt, UnsafePointer<rlimit>, UnsafeMutablePointer<rlimit>?) -> CInt)
                        .self)
            }
}

extension LimitedProcess.Failure {
    fileprivate static func system(_ call: String) -> LimitedProcess.Failure {
        .notStarted("\(call) failed: \(String(cString: strerror(errno)))")
    }
}

extension LimitedProcess.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notStarted(let reason): reason
        case .timedOut: "it took too long and was killed"
        case .tooMuchOutput: "its output exceeds the limit"
        case .failed(let code, let complaint):
            // The reason may be on any line.
            (["exit code \(code)"] + complaint.split(whereSeparator: \.isNewline).map(String.init))
                .joined(separator: ": ")
        }
    }
}
