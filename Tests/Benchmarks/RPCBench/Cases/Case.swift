import BenchKit

/// One block of the comparison. To add one, write a type and add it to `allCases`.
protocol Case: Sendable {
    var name: String { get }

    /// Whether it has a line for every subject. Other cases measure our services.
    var comparesSubjects: Bool { get }

    func run(in bench: Bench) async throws -> Findings
}

extension Case {
    var comparesSubjects: Bool { true }
}

/// The settings of all cases.
struct Bench {
    let subjects: [any Subject]
    let rounds: Int

    /// Seconds per measurement.
    let seconds: Double
    let progress: ProgressLine

    /// The warm-up, in which callers start, connections are opened and code is loaded.
    var warmUpSeconds: Double { seconds / 5 }
}

/// The results of a case.
struct Findings {
    var calls: [CallFinding] = []
    var programs: [ProgramFinding] = []

    static func += (all: inout Findings, more: Findings) {
        all.calls += more.calls
        all.programs += more.programs
    }
}

/// One line of results about calls.
struct CallFinding {
    let name: String
    let subject: String

    /// Microseconds; nil if nothing could be measured.
    var p50: Double?
    var p99: Double?
    /// The slowest call of all rounds; nil if only percentiles matter.
    var slowest: Double?
    var callsPerSecond: Double?

    /// The server's processor time in microseconds, the number that other programs disturb least.
    var processorTimePerCall: Double?

    /// The server's resident memory afterwards, in kilobytes.
    var resident: Int?

    /// The number of calls refused because of overload.
    var shed = 0

    /// The number of concurrent large calls answered per second.
    var largeCallsPerSecond: Double?

    /// The rounds of the medians; empty if the percentiles are over all rounds.
    var rounds: [Round] = []

    /// The error; nil for success.
    var problem: String?
}

/// One line of results about a program.
struct ProgramFinding {
    let program: String
    var idle: Memory?
    var loaded: Memory?

    /// The times from `exec` to the first answer in milliseconds, one for each round.
    var firstAnswers: [Double] = []
    var problem: String?
}
