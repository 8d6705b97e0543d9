import BenchKit
import Foundation

/// What a measuring program prints, as one line of JSON.
struct Measurement: Codable, Sendable {
    /// Microseconds.
    let p50: Double
    let p99: Double

    let calls: Int

    /// With those of the warm-up and the very first; large ones are not among them.
    let allCalls: Int

    /// From the end of the warm-up to the last answer.
    let seconds: Double

    /// How many calls ended `overloaded`, after the client's own retries. They are not among the calls.
    let shed: Int

    /// How many of the large calls beside began after the warm-up.
    let largeCalls: Int

    /// When the very first call was answered, by `WallClock`.
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
