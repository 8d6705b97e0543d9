import Foundation

/// The machine and the sources of a run.
package struct Machine: Encodable, Sendable {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let processor = Self.processorName()
    let kernel = Self.kernelRelease()
    let date = Date.now.formatted(.iso8601)

    /// The commit of the sources, with `-dirty` after uncommitted changes; nil without git.
    let commit = Self.sourceCommit()

    /// The load average over one minute at the start. Above zero, other programs disturb the run.
    let load = Self.loadAverage()

    package init() {}

    /// The description in one line.
    package var line: String {
        let parts = [
            commit.map { "commit \($0)" }, date, "Linux \(kernel)", processor, "\(cores) cores",
            "load average \(Columns.number(load))",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static func processorName() -> String? {
        // Not every system has this file, and it does not name every processor.
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func kernelRelease() -> String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static let secondsForGit = 5.0

    private static func sourceCommit() -> String? {
        let command = ["git", "-C", SourceFolder.benchmarks, "describe", "--always", "--dirty"]
        // Without git the commit is unknown.
        guard let git = try? ChildProcess.start(command, readingOutput: true),
            case .done(let output) = git.end(within: secondsForGit)
        else { return nil }
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func loadAverage() -> Double? {
        var averages = [0.0]
        return getloadavg(&averages, 1) == 1 ? averages[0] : nil
    }
}
