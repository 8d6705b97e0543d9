import Foundation

/// Where the sources lie that this program was built from.
enum SourceFolder {
    /// The folder of all benchmarks.
    static let benchmarks = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().path
}
