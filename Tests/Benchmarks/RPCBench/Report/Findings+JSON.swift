import BenchKit
import Foundation

/// The findings as JSON.
extension Findings {
    func json(_ bench: Bench, _ machine: Machine, leftOut: [LeftOut]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let report = JSONReport(
            machine: machine, rounds: bench.rounds, seconds: bench.seconds, cases: calls.map(JSONReport.Calls.init),
            programs: programs.map(JSONReport.Program.init), aims: Aim.all.map { JSONReport.Reached($0, self) },
            leftOut: leftOut)
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}

private struct JSONReport: Encodable {
    let machine: Machine

    /// The number of rounds and the seconds per measurement.
    let rounds: Int
    let seconds: Double
    let cases: [Calls]
    let programs: [Program]
    let aims: [Reached]
    let leftOut: [LeftOut]

    enum CodingKeys: String, CodingKey {
        case machine, rounds, seconds, cases, programs, aims
        case leftOut = "left_out"
    }

    struct Calls: Encodable {
        let name, subject: String
        let p50_us, p99_us, max_us, calls_per_s, server_cpu_us: Double?
        let rss_kb: Int?
        let shed: Int
        let large_calls_per_s: Double?
        let rounds: [Once]
        let problem: String?

        init(_ call: CallFinding) {
            (name, subject, problem) = (call.name, call.subject, call.problem)
            (p50_us, p99_us, max_us) = (tenths(call.p50), tenths(call.p99), tenths(call.slowest))
            (calls_per_s, server_cpu_us) = (call.callsPerSecond?.rounded(), tenths(call.processorTimePerCall))
            (rss_kb, shed, large_calls_per_s) = (call.resident, call.shed, tenths(call.largeCallsPerSecond))
            rounds = call.rounds.map(Once.init)
        }
    }

    struct Once: Encodable {
        let p50_us, p99_us, calls_per_s, server_cpu_us: Double?
        let shed: Int
        let large_calls_per_s: Double?

        init(_ round: Round) {
            (p50_us, p99_us, calls_per_s) = (tenths(round.p50), tenths(round.p99), round.callsPerSecond.rounded())
            (server_cpu_us, shed) = (tenths(round.processorTimePerCall), round.shed)
            large_calls_per_s = tenths(round.largeCallsPerSecond)
        }
    }

    struct Program: Encodable {
        let program: String
        let first_answer_ms: Double?
        let first_answers_ms: [Double]
        let idle, loaded: Kilobytes?
        let problem: String?

        init(_ finding: ProgramFinding) {
            (program, problem) = (finding.program, finding.problem)
            first_answer_ms = tenths(median(finding.firstAnswers))
            first_answers_ms = finding.firstAnswers.compactMap(tenths)
            (idle, loaded) = (finding.idle.map(Kilobytes.init), finding.loaded.map(Kilobytes.init))
        }
    }

    struct Reached: Encodable {
        let aim: String
        let at_least, at_most, measured: Double?

        /// Absent if nothing was measured.
        let reached: Bool?

        init(_ aim: Aim, _ findings: Findings) {
            self.aim = aim.text
            switch aim.bound {
            case .atLeast(let bound): (at_least, at_most) = (bound, nil)
            case .atMost(let bound): (at_least, at_most) = (nil, bound)
            }
            measured = aim.value(findings)
            reached = measured.map(aim.isReached)
        }
    }

    struct Kilobytes: Encodable {
        let rss_kb, pss_kb, private_dirty_kb, private_clean_kb: Int

        init(_ memory: Memory) {
            (rss_kb, pss_kb) = (memory.resident, memory.proportional)
            (private_dirty_kb, private_clean_kb) = (memory.privateDirty, memory.privateClean)
        }
    }
}

private func tenths(_ value: Double?) -> Double? { value.map { ($0 * 10).rounded() / 10 } }
