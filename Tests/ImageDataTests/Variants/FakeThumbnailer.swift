import Foundation
import ImageData
import Logging
import RPCTestKit
import Processes

@testable import image_data_service

/// A script in place of `vipsthumbnail`, which does what a test wants.
struct FakeThumbnailer {
    let directory: String

    var path: String { directory + "/vipsthumbnail" }

    /// The picture that the script can output: `cat $OUT`.
    static let output = ImageDataTests.picture(1)

    /// - Parameter script: runs with `OUT`, the path of `output` or of a PPM of the requested size, and `HERE`, the directory.
    init(in directory: String, _ script: String = "cat >/dev/null; cat $OUT") throws {
        self.directory = directory
        try Self.output.write(to: URL(filePath: directory + "/out.png"))
        try link()
        try change(to: script)
    }

    func link() throws { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Self.program) }

    /// The script that runs `body`.
    private static let program = Program.repository + "/Tests/ImageDataTests/Variants/vipsthumbnail"

    func change(to script: String) throws { try Data(script.utf8).write(to: URL(filePath: directory + "/body")) }

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

    func maker(_ change: (inout LimitedProcess.Limits) -> Void = { _ in }, _ log: RecordedLog = RecordedLog())
        -> VariantMaker
    {
        var thumbnailer = Thumbnailer(program: VipsThumbnail(path: path))
        thumbnailer.program.limits.time = .seconds(60)
        change(&thumbnailer.program.limits)
        return VariantMaker(thumbnailer, logger: log.logger, now: { moment(0) })
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
