import Foundation
import ImageData
import Logging
import RPCTestKit
import Processes
import Testing
import Timing

@testable import image_data_service

/// A script in place of `vipsthumbnail`, which does what a test wants.
struct FakeThumbnailer {
    let directory: String

    var path: String { directory + "/vipsthumbnail" }

    /// The picture that the script can output: `cat $OUT`.
    static let output = ImageDataTests.picture(1)

    /// Holds the pipe `GO` open.
    private let gate: FileHandle

    /// - Parameter script: runs with `OUT`, the path of `output` or of a PPM of the requested size, and `GO`, a pipe from which it
    ///   can read the lines that `go` writes.
    init(in directory: String, _ script: String = "cat >/dev/null; cat $OUT") throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory + "/runs", withIntermediateDirectories: false)
        mkfifo(directory + "/go", 0o600)
        gate = try #require(FileHandle(forUpdatingAtPath: directory + "/go"))
        try Self.output.write(to: URL(filePath: directory + "/out.png"))
        try link()
        try change(to: script)
    }

    func link() throws { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Self.program) }

    /// The script that runs `body`.
    private static let program = Program.repository + "/Tests/ImageDataTests/Variants/vipsthumbnail"

    func change(to script: String) throws { try Data(script.utf8).write(to: URL(filePath: directory + "/body")) }

    /// Lets one process continue that reads `GO`.
    func go() { gate.write(Data("\n".utf8)) }

    /// Waits until this many processes have begun.
    func wait(runs count: Int) async {
        let events = inotify_init1(Int32(IN_CLOEXEC))
        inotify_add_watch(events, directory + "/runs", UInt32(IN_CREATE))
        await withUnsafeContinuation { continuation in
            Thread.detachNewThread {
                var event = [UInt8](repeating: 0, count: 4_096)
                while runs.count < count, read(events, &event, event.count) > 0 {}
                close(events)
                continuation.resume()
            }
        }
    }

    /// The ids of the processes so far.
    var runs: [pid_t] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory + "/runs")) ?? []).compactMap { pid_t($0) }
    }

    var running: Int { runs.count { Self.isRunning($0) } }

    /// Whether a process exists and has not ended.
    static func isRunning(_ id: pid_t) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return false }
        return !stat.contains(") Z ")
    }

    func maker(
        timeLimit: Duration = .seconds(600), log: RecordedLog = RecordedLog(), time: any MonotonicClock = .system
    ) -> VariantMaker {
        var thumbnailer = Thumbnailer(program: VipsThumbnail(path: path))
        thumbnailer.program.limits.time = timeLimit
        return VariantMaker(thumbnailer, logger: log.logger, now: { moment(0) }, clock: time)
    }
}

func withFake(
    _ script: String = "cat >/dev/null; cat $OUT", _ body: @escaping (FakeThumbnailer) async throws -> Void
) async throws {
    try await withTemporaryDirectory { try await body(FakeThumbnailer(in: $0, script)) }
}

extension VariantMaker {
    /// Runs the maker during `body`.
    func during<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
        // Cancelled at the end of this scope.
        async let _: Void = run()
        return try await body()
    }
}
