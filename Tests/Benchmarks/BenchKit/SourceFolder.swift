import Foundation

/// The location of the sources of the benchmarks.
package enum SourceFolder {
    /// The folder of all benchmarks.
    package static let benchmarks = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().path
}
