import Foundation
import Processes
import Synchronization
import Timing

/// An executable of this package.
public struct Program: Sendable {
    public let path: String

    /// - Parameter name: `gateway`, `feed-service`, …
    public init(_ name: String) { path = Self.directory + "/" + name }

    /// Another program, or a script of the repository.
    public init(path: String) { self.path = path }

    /// The directory of the executables to test: `IMAGE_FEED_PROGRAMS`; without it that of the test runner, where the executables
    /// were built with the tests.
    public static let directory =
        ProcessInfo.processInfo.environment["IMAGE_FEED_PROGRAMS"]
        ?? (URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path as NSString).deletingLastPathComponent

    /// The root directory of the repository.
    public static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The result of a run.
    public struct Outcome: Sendable {
        /// The exit code; after a signal, 128 plus its number, as in a shell.
        public let status: Int32
        public let bytes: Data
        public let errors: String

        public var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Runs the program and waits until it exits.
    /// - Parameters:
    ///   - environment: variables in addition to those of this process and `standardEnvironment`.
    ///   - input: the content of standard input.
    public func run(
        _ arguments: [String] = [], environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        try await withTemporaryDirectory { directory in
            try Data(input.utf8).write(to: URL(fileURLWithPath: directory + "/in"))
            let process = try start(
                arguments, environment: environment, input: directory + "/in", output: directory + "/out",
                errors: directory + "/err")
            let status = await process.ended()
            return Outcome(
                status: status, bytes: try Data(contentsOf: URL(fileURLWithPath: directory + "/out")),
                errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: directory + "/err")), as: UTF8.self))
        }
    }

    /// Lets every gateway choose a free port, so that parallel tests do not collide.
    public static let standardEnvironment = ["HTTP_PORT": "0"]

    /// Starts the program without waiting for it.
    /// - Parameters:
    ///   - input: the file for standard input; nil for none.
    ///   - output: the file for standard output.
    ///   - errors: the file for standard error; nil to collect it in `RunningProgram.errors`.
    public func start(
        _ arguments: [String] = [], environment: [String: String] = [:], input: String? = nil,
        output: String = "/dev/null", errors: String?
    ) throws -> RunningProgram {
        let lines = ErrorLines()
        // Close this process's copy, so that the pipe ends when the program exits.
        defer { try? lines.writingEnd.close() }
        let files = [
            try handle(reading: input ?? "/dev/null"), try handle(writing: output),
            try errors.map { try handle(writing: $0) } ?? lines.writingEnd,
        ]
        let all = ProcessInfo.processInfo.environment.merging(Self.standardEnvironment) { $1 }
            .merging(environment) { $1 }
        let process = try ChildProcess.start(
            [path] + arguments, environment: all, files: files.map(\.fileDescriptor))
        return RunningProgram(process, errors: lines)
    }

    private func handle(reading path: String) throws -> FileHandle {
        try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }

    private func handle(writing path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }
}

/// A process that a test started.
public struct RunningProgram: Sendable {
    public let id: Int32
    private let end = End()

    /// The lines that it writes to standard error.
    public let errors: ErrorLines

    /// - Parameter process: one that no other code waits for.
    init(_ process: ChildProcess, errors: ErrorLines) {
        id = process.id
        self.errors = errors
        // A separate thread, which ends when the process exits.
        Thread.detachNewThread { [end] in end.note(process.end()) }
    }

    /// Waits until the process exits.
    /// - Returns: the exit code; after a signal, 128 plus its number.
    public func ended() async -> Int32 { await end.status() }

    /// The exit code; nil while the process runs.
    public var status: Int32? { end.statusSoFar }

    /// Sends a signal. Does nothing after the process has exited, because its id may belong to another process.
    public func send(_ signal: Int32) {
        if status == nil { kill(id, signal) }
    }
}

/// Collects the lines that a process writes.
public final class ErrorLines: Sendable {
    private struct State {
        var text = ""
        var isAtEnd = false
    }

    private let state = Watched(State())
    private let pipe = Pipe()

    init() {
        // A separate thread, which ends when the last process that can write exits.
        Thread.detachNewThread { [self] in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            var count = 1
            while count > 0 {
                count = read(pipe.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
                let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
                state.withLock { state in
                    state.text += text
                    state.isAtEnd = count <= 0
                }
            }
        }
    }

    var writingEnd: FileHandle { pipe.fileHandleForWriting }

    /// The text received so far.
    public var text: String { state.withLock(\.text) }

    /// Waits until the text contains `part`.
    /// - Returns: false when the process exits without having written it, or the task is cancelled.
    public func wait(for part: String) async -> Bool { await wait { $0.contains(part) } }

    /// Like `wait(for:)`, but waits until the text fulfils a condition.
    public func wait(until isMet: @escaping @Sendable (String) -> Bool) async -> Bool {
        await state.wait { isMet($0.text) || $0.isAtEnd }
        return isMet(text)
    }

    /// The whole text, once the process and those that inherited its standard error have exited.
    public func whole() async -> String {
        await state.wait(until: \.isAtEnd)
        return text
    }
}

/// The exit of a process, for any number of waiting tasks.
private final class End: Sendable {
    private enum State {
        case running([CheckedContinuation<Int32, Never>])
        case ended(Int32)
    }

    private let state = Mutex(State.running([]))

    func note(_ status: Int32) {
        let waiting = state.withLock { state in
            guard case .running(let waiting) = state else { return [CheckedContinuation<Int32, Never>]() }
            state = .ended(status)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    var statusSoFar: Int32? {
        state.withLock { if case .ended(let status) = $0 { status } else { nil } }
    }

    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = state.withLock { state in
                switch state {
                case .ended(let status): return status
                case .running(let waiting):
                    state = .running(waiting + [continuation])
                    return nil
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}
