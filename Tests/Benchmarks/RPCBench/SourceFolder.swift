import Foundation

/// The location of this program's sources.
enum SourceFolder {
    /// The folder of all benchmarks.
    static let benchmarks = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().path
}
