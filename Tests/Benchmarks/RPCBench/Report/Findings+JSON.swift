import BenchKit
import Foundation

/// The findings for programs.
extension Findings {
    func json(leftOut: [LeftOut]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let report = JSONReport(
            cases: calls.map(JSONReport.Calls.init), programs: programs.map(JSONReport.Program.init), leftOut: leftOut)
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}

/// A subject that is not there to be measured.
struct LeftOut: Encodable {
    let subject: String
    let reason: String
}

private struct JSONReport: Encodable {
    let cases: [Calls]
    let programs: [Program]
    let leftOut: [LeftOut]

    enum CodingKeys: String, CodingKey {
        case cases, programs
        case leftOut = "left_out"
    }

    struct Calls: Encodable {
        let name, subject: String
        let p50_us, p99_us, max_us, calls_per_s, server_cpu_us: Double?
        let rss_kb: Int?
        let shed: Int
        let large_calls_per_s: Double?
        let problem: String?

        init(_ call: CallFinding) {
            (name, subject, problem) = (call.name, call.subject, call.problem)
            (p50_us, p99_us, max_us) = (tenths(call.p50), tenths(call.p99), tenths(call.slowest))
            (calls_per_s, server_cpu_us) = (call.callsPerSecond?.rounded(), tenths(call.processorTimePerCall))
            (rss_kb, shed, large_calls_per_s) = (call.resident, call.shed, tenths(call.largeCallsPerSecond))
        }
    }

    struct Program: Encodable {
        let program: String
        let first_answer_ms: Double?
        let idle, loaded: Kilobytes?
        let problem: String?

        init(_ finding: ProgramFinding) {
            (program, problem, first_answer_ms) = (finding.program, finding.problem, tenths(finding.firstAnswer))
            (idle, loaded) = (finding.idle.map(Kilobytes.init), finding.loaded.map(Kilobytes.init))
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
