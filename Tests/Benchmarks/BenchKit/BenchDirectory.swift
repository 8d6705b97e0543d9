import Foundation

/// Creates a directory for the duration of a measurement.
package func withBenchDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = NSTemporaryDirectory() + "image-feed-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    // If this fails, the files stay in the system's temporary directory.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Finds this package's programs, in the directory of this one.
package enum Programs {
    private static let this = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    package static var current: String { this.path }

    package static func path(_ name: String) throws -> String {
        let path = this.deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("\(path) does not exist: build all programs with swift build -c release")
        }
        return path
    }
}
