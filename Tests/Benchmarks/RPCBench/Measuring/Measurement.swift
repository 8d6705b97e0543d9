import BenchKit
import Foundation

/// The output of a measuring program, as one line of JSON.
struct Measurement: Codable, Sendable {
    /// Microseconds.
    let p50: Double
    let p99: Double

    let calls: Int

    /// The number of calls, including the warm-up and the very first call, but without large ones.
    let allCalls: Int

    /// The time from the end of the warm-up to the last answer.
    let seconds: Double

    /// The number of calls that failed with `overloaded` after the client's own retries. They do not count as calls.
    let shed: Int

    /// The number of large calls that began after the warm-up.
    let largeCalls: Int

    /// The time of the very first answer, from `WallClock`.
    let firstAnswer: Int64

    var callsPerSecond: Double { Double(calls) / seconds }

    init(_ tally: Tally, firstAnswer: Int64) {
        let percentiles = tally.latencies.percentiles([0.5, 0.99])
        (p50, p99) = (percentiles[0], percentiles[1])
        calls = tally.latencies.count
        allCalls = tally.allCalls + 1
        seconds = Double(max(tally.end - tally.period.from, 1)) / 1e9
        shed = tally.shed
        largeCalls = tally.largeCalls
        self.firstAnswer = firstAnswer
    }

    func printLine() throws {
        print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }
}
