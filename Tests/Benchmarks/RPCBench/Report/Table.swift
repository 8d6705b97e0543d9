import Foundation

/// The findings for people.
enum Table {
    /// One block, compared with the bare echo, or where there is none with its first line.
    static func block(_ calls: [CallFinding]) -> String {
        let baseline = calls.first { $0.subject == OwnSubject.echo.name } ?? calls.first
        let rows = calls.map { call in
            [
                call.subject, number(call.p50), number(call.p99), number(call.callsPerSecond, digits: 0),
                number(ratio(call.p50, baseline?.p50), digits: 2), number(call.processorTimePerCall),
                call.resident.map(String.init) ?? "-", note(call),
            ]
        }
        let title = calls.first?.name ?? ""
        return lines([[title, "p50 µs", "p99 µs", "calls/s", "p50 ×", "CPU µs/call", "RSS KB", ""]] + rows)
    }

    static func block(_ programs: [ProgramFinding], title: String) -> String {
        let kilobytes = { (memory: Memory?) in
            [memory?.resident, memory?.proportional, memory?.privateDirty, memory?.privateClean]
                .map { $0.map(String.init) ?? "-" }
        }
        let rows = programs.map { program in
            [program.program, number(program.firstAnswer)] + kilobytes(program.idle) + kilobytes(program.loaded)
                + [program.problem ?? ""]
        }
        let memory = ["RSS KB", "PSS", "dirty", "clean"]
        return lines([[title, "answers after ms"] + memory + ["loaded: RSS KB"] + memory.dropFirst() + [""]] + rows)
    }

    private static func note(_ call: CallFinding) -> String {
        [
            call.slowest.map { "at most \(number($0 / 1_000)) ms" }, call.problem,
            call.shed > 0 ? "\(call.shed) calls shed" : nil,
            call.largeCallsPerSecond.map { "\(number($0, digits: 0)) large/s" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func ratio(_ value: Double?, _ baseline: Double?) -> Double? {
        guard let value, let baseline else { return nil }
        return value / baseline
    }

    private static func number(_ value: Double?, digits: Int = 1) -> String {
        value.map { String(format: "%.\(digits)f", $0) } ?? "-"
    }

    /// The first column as wide as the longest name there is, so that blocks stand one under the other.
    private static let nameWidth = 40

    /// Names and notes to the left, numbers to the right.
    private static func lines(_ rows: [[String]]) -> String {
        let header = rows[0]
        let widths = header.indices.map { column in max(rows.map { $0[column].count }.max() ?? 0, 8) }
        return rows.map { row in
            var line = row[0].padding(toLength: max(nameWidth, widths[0]), withPad: " ", startingAt: 0)
            for (cell, width) in zip(row, widths).dropFirst().dropLast() {
                line += "  " + String(repeating: " ", count: width - cell.count) + cell
            }
            return "\(line)  \(row[row.count - 1])".replacing(#/ +$/#, with: "")
        }.joined(separator: "\n")
    }
}
