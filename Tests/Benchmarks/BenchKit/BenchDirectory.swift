import Foundation

/// A directory for the time of a measurement.
package func withBenchDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = NSTemporaryDirectory() + "image-feed-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    // What is left behind lies in the system's temporary directory.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

/// Where this package's programs lie: beside this one.
package enum Programs {
    private static let this = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    package static var current: String { this.path }

    package static func path(_ name: String) throws -> String {
        let path = this.deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("\(path) is not there: build everything with swift build -c release")
        }
        return path
    }
}
