import BenchKit
import Foundation

/// The findings as text.
enum Table {
    /// The text above all blocks.
    static func heading(_ bench: Bench, _ machine: Machine) -> String {
        """
        \(machine.line)
        Medians of \(bench.rounds) rounds of \(Columns.number(bench.seconds)) s. Each round begins with the next subject, every second round runs backwards.
        Every server makes the bytes of each reply for its call. "runtime" is the public interface, called from any task.
        "p50 × echo" is the p50 divided by the echo's, "calls × ttrpc" the calls/s divided by ttrpc's.
        """
    }

    /// One block. Each line is compared with the echo and with ttrpc; if both are missing, with the first line of the
    /// block.
    static func block(_ calls: [CallFinding]) -> String {
        var baselines = [("echo", OwnSubject.echo.name), ("ttrpc", ExternalProgram.ttrpc.subject)].compactMap {
            (label, subject) in calls.first { $0.subject == subject }.map { (label, $0) }
        }
        if baselines.isEmpty, let first = calls.first { baselines = [("first", first)] }
        let rows = calls.map { call in
            [
                call.subject, Columns.number(call.p50), Columns.number(call.p99),
                Columns.number(call.callsPerSecond, digits: 0),
            ]
                + baselines.flatMap { _, baseline in
                    [ratio(call.p50, baseline.p50), ratio(call.callsPerSecond, baseline.callsPerSecond)]
                        .map { Columns.number($0, digits: 2) }
                } + [Columns.number(call.processorTimePerCall), call.resident.map(String.init) ?? "-", note(call)]
        }
        let title = [calls.first?.name ?? "", "p50 µs", "p99 µs", "calls/s"]
        let ratios = baselines.flatMap { label, _ in ["p50 × \(label)", "calls × \(label)"] }
        return Columns.lines([title + ratios + ["CPU µs/call", "RSS KB", ""]] + rows)
    }

    /// The aims and whether they are reached; empty if the run has measured none.
    static func aims(_ findings: Findings) -> String {
        let rows = Aim.all.compactMap { aim -> [String]? in
            guard let value = aim.value(findings) else { return nil }
            let bound =
                switch aim.bound {
                case .atLeast(let bound): "≥ \(Columns.number(bound))"
                case .atMost(let bound): "≤ \(Columns.number(bound))"
                }
            return [aim.text, bound, Columns.number(value, digits: 2), aim.isReached(by: value) ? "reached" : "MISSED"]
        }
        return rows.isEmpty ? "" : Columns.lines([["aims", "aim", "measured", ""]] + rows)
    }

    static func block(_ programs: [ProgramFinding], title: String) -> String {
        let kilobytes = { (memory: Memory?) in
            [memory?.resident, memory?.proportional, memory?.privateDirty, memory?.privateClean]
                .map { $0.map(String.init) ?? "-" }
        }
        let rows = programs.map { program in
            [program.program, Columns.number(median(program.firstAnswers))] + kilobytes(program.idle)
                + kilobytes(program.loaded)
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
            call.largeCallsPerSecond.map { "\(Columns.number($0, digits: 0)) large/s, \(worstRound(call))" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func worstRound(_ call: CallFinding) -> String {
        "p99 \(Columns.number(call.rounds.map(\.p99).max())) in the worst round"
    }

    private static func ratio(_ value: Double?, _ baseline: Double?) -> Double? {
        guard let value, let baseline else { return nil }
        return value / baseline
    }
}
