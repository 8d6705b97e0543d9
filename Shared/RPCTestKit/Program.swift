import Foundation
import Synchronization

/// One of the executables of this package, as it was built beside the tests.
public struct Program: Sendable {
    public let path: String

    /// - Parameter name: `gateway`, `feed-service`, …
    public init(_ name: String) { path = Self.directory + "/" + name }

    /// Some other program, or a script of the repository.
    public init(path: String) { self.path = path }

    /// Where the build has put the executables: beside the program that runs the tests.
    public static let directory = (URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path as NSString)
        .deletingLastPathComponent

    /// The top of the repository.
    public static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// How a run has ended.
    public struct Outcome: Sendable {
        /// The exit code; for a signal 128 and its number, as in a shell.
        public let status: Int32
        public let bytes: Data
        public let errors: String

        public var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Runs to the end.
    /// - Parameters:
    ///   - environment: in addition to ours and `standardEnvironment`.
    ///   - input: what standard input gives.
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

    /// Every gateway takes a port of its own, or tests that run at the same time would take each other's.
    public static let standardEnvironment = ["HTTP_PORT": "0"]

    /// Starts without waiting for the end.
    /// - Parameters:
    ///   - input: a file; nil for none.
    ///   - output: the file that takes standard output.
    ///   - errors: the file that takes standard error; nil to have `RunningProgram.errors` collect it.
    public func start(
        _ arguments: [String] = [], environment: [String: String] = [:], input: String? = nil,
        output: String = "/dev/null", errors: String?
    ) throws -> RunningProgram {
        let lines = ErrorLines()
        // Ours is one too many: the lines end with the program.
        defer { try? lines.writingEnd.close() }
        let files = [
            try handle(reading: input ?? "/dev/null"), try handle(writing: output),
            try errors.map { try handle(writing: $0) } ?? lines.writingEnd,
        ]
        let all = ProcessInfo.processInfo.environment.merging(Self.standardEnvironment) { $1 }
            .merging(environment) { $1 }
        let id = try Spawn.start([path] + arguments, environment: all, files: files.map(\.fileDescriptor))
        return RunningProgram(id, errors: lines)
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

/// A process that a test has started.
public struct RunningProgram: Sendable {
    public let id: Int32
    private let end = End()

    /// What it writes to standard error.
    public let errors: ErrorLines

    /// - Parameter id: of a child of ours that nobody else waits for.
    init(_ id: Int32, errors: ErrorLines) {
        self.id = id
        self.errors = errors
        // A thread of its own, which ends with the process.
        Thread.detachNewThread { [end] in end.note(Spawn.end(of: id)) }
    }

    /// Waits for the end.
    /// - Returns: the exit code; for a signal 128 and its number.
    public func ended() async -> Int32 { await end.status() }

    /// How it has ended; nil while it runs.
    public var status: Int32? { end.statusSoFar }

    /// Does nothing after the end: the number may be another process's by then.
    public func send(_ signal: Int32) {
        if status == nil { kill(id, signal) }
    }
}

/// The lines that a process writes, as they come.
public final class ErrorLines: Sendable {
    private let state = Mutex((text: "", isAtEnd: false))
    private let changes: AsyncStream<Void>
    private let pipe = Pipe()

    init() {
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        // A thread of its own, which ends with the last process that can write.
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
                changed.yield()
            }
        }
    }

    var writingEnd: FileHandle { pipe.fileHandleForWriting }

    /// Everything so far.
    public var text: String { state.withLock(\.text) }

    /// Waits until the text contains this; one task at a time.
    /// - Returns: false when the process ends without having written it.
    public func wait(for part: String) async -> Bool {
        var iterator = changes.makeAsyncIterator()
        while true {
            let (text, isAtEnd) = state.withLock { $0 }
            if text.contains(part) { return true }
            if isAtEnd { return false }
            await iterator.next()
        }
    }
}

/// The end of a process, for any number of tasks that wait for it.
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
