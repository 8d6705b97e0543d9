import Foundation

/// A command line tool, run to its end.
struct Command {
    let arguments: [String]

    init(_ arguments: String...) { self.arguments = arguments }

    struct Outcome {
        let exitCode: Int32
        /// Standard output and error, as they came.
        let output: String
    }

    func run(in directory: String) async throws -> Outcome {
        // A file and not a pipe: nobody has to read while it runs.
        let file = "/tmp/if-output-\(UUID().uuidString)"
        FileManager.default.createFile(atPath: file, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: directory)
        process.environment = ProcessInfo.processInfo.environment.merging(["IMAGE_FEED_STRICT": "1"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: file)
        process.standardError = process.standardOutput
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Outcome(
            exitCode: process.terminationStatus, output: try String(contentsOfFile: file, encoding: .utf8))
    }
}
