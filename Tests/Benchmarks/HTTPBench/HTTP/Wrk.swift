import BenchKit
import Foundation

/// A load of `wrk`, which runs in a process of its own.
struct Wrk {
    let port: Int
    var connections = 64

    /// The paths. There must be at least one.
    let paths: [String]

    /// The exponent of Zipf's law; 0 for equally frequent paths.
    var exponent = 0

    /// Fields of every request, for example `Accept: text/html`.
    var fields: [String] = []

    /// What one run has measured.
    struct Measurement: Decodable {
        let requests, bytes, microseconds, p50, p99, failed: Int

        var requestsPerSecond: Double { Double(requests) * 1e6 / Double(microseconds) }

        /// With the fields.
        var megabytesPerSecond: Double { Double(bytes) / Double(microseconds) }
    }

    static let needs = "wrk is not installed"

    private static let program = ["/usr/bin/wrk", "/usr/local/bin/wrk"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isInstalled: Bool { program != nil }

    /// The time in which wrk starts and ends, beside the measured seconds.
    private static let otherSeconds = 30.0

    /// - Parameters:
    ///   - seconds: rounded up to whole seconds, because wrk knows no others.
    ///   - directory: for the file of the paths.
    /// - Throws: when a request fails or is answered with an error.
    func run(seconds: Double, in directory: String) throws -> Measurement {
        guard let program = Self.program else { throw Failure(Self.needs) }
        let file = directory + "/paths"
        try Data((paths.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
        let whole = Int(seconds.rounded(.up))
        let wrk = try ChildProcess.start(
            [
                program, "-t", "1", "-c", "\(connections)", "-d", "\(whole)s", "--timeout", "30s", "-s",
                SourceFolder.benchmarks + "/HTTPBench/HTTP/load.lua", "http://127.0.0.1:\(port)", "--", file,
                "\(exponent)",
            ] + fields, readingOutput: true)
        guard case .done(let output) = wrk.end(within: Double(whole) + Self.otherSeconds) else {
            throw Failure("wrk has failed")
        }
        let line = String(decoding: output, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix("{") } ?? ""
        let measurement = try JSONDecoder().decode(Measurement.self, from: Data(line.utf8))
        guard measurement.failed == 0 else { throw Failure("\(measurement.failed) requests of wrk have failed") }
        return measurement
    }
}
