import BenchKit

/// One block of the comparison. A new one is a type of its own, and a line in `allCases`.
protocol Case: Sendable {
    var name: String { get }

    /// Whether it has a line for every subject; others measure our services.
    var comparesSubjects: Bool { get }

    func run(in bench: Bench) async throws -> Findings
}

extension Case {
    var comparesSubjects: Bool { true }
}

/// What all cases have.
struct Bench {
    let subjects: [any Subject]
    let rounds: Int

    /// Per measurement.
    let seconds: Double
    let progress: ProgressLine

    /// Callers and connections come up, and code is loaded, before anything counts.
    var warmUpSeconds: Double { seconds / 5 }
}

/// What a case has shown.
struct Findings {
    var calls: [CallFinding] = []
    var programs: [ProgramFinding] = []

    static func += (all: inout Findings, more: Findings) {
        all.calls += more.calls
        all.programs += more.programs
    }
}

/// One line about calls.
struct CallFinding {
    let name: String
    let subject: String

    /// Microseconds; nil where nothing could be measured.
    var p50: Double?
    var p99: Double?
    /// Of all calls; nil where only percentiles are of interest.
    var slowest: Double?
    var callsPerSecond: Double?

    /// Of the server, in microseconds: what other work on the machine disturbs least.
    var processorTimePerCall: Double?

    /// Of the server afterwards, in kilobytes.
    var resident: Int?

    /// How many calls were refused because of overload.
    var shed = 0

    /// How many of the large calls beside were answered in a second.
    var largeCallsPerSecond: Double?

    /// What the medians are of; empty where there are only percentiles over all rounds.
    var rounds: [Round] = []

    /// What went wrong.
    var problem: String?
}

/// One line about a program.
struct ProgramFinding {
    let program: String
    var idle: Memory?
    var loaded: Memory?

    /// From `exec` until it has answered a call, in milliseconds, round by round.
    var firstAnswers: [Double] = []
    var problem: String?
}
