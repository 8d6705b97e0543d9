import BenchKit
import Foundation

/// The findings for people.
enum Table {
    /// One block, compared with the bare echo, or where there is none with its first line.
    static func block(_ calls: [CallFinding]) -> String {
        let baseline = calls.first { $0.subject == OwnSubject.echo.name } ?? calls.first
        let rows = calls.map { call in
            [
                call.subject, Columns.number(call.p50), Columns.number(call.p99),
                Columns.number(call.callsPerSecond, digits: 0),
                Columns.number(ratio(call.p50, baseline?.p50), digits: 2), Columns.number(call.processorTimePerCall),
                call.resident.map(String.init) ?? "-", note(call),
            ]
        }
        let title = calls.first?.name ?? ""
        return Columns.lines([[title, "p50 µs", "p99 µs", "calls/s", "p50 ×", "CPU µs/call", "RSS KB", ""]] + rows)
    }

    static func block(_ programs: [ProgramFinding], title: String) -> String {
        let kilobytes = { (memory: Memory?) in
            [memory?.resident, memory?.proportional, memory?.privateDirty, memory?.privateClean]
                .map { $0.map(String.init) ?? "-" }
        }
        let rows = programs.map { program in
            [program.program, Columns.number(program.firstAnswer)] + kilobytes(program.idle) + kilobytes(program.loaded)
                + [program.problem ?? ""]
        }
        let memory = ["RSS KB", "PSS", "dirty", "clean"]
        return Columns.lines(
            [[title, "answers after ms"] + memory + ["loaded: RSS KB"] + memory.dropFirst() + [""]] + rows)
    }

    private static func note(_ call: CallFinding) -> String {
        [
            call.slowest.map { "at most \(Columns.number($0 / 1_000)) ms" }, call.problem,
            call.shed > 0 ? "\(call.shed) calls shed" : nil,
            call.largeCallsPerSecond.map { "\(Columns.number($0, digits: 0)) large/s" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func ratio(_ value: Double?, _ baseline: Double?) -> Double? {
        guard let value, let baseline else { return nil }
        return value / baseline
    }
}
