import Foundation

/// The results for people and for programs.
enum Report {
    static func table(_ cases: [CaseResult]) -> String {
        let rows = cases.map { result in
            let baseline = cases.first { $0.name == result.name }?.p50 ?? .nan
            return [
                result.name, result.subject, decimal(result.p50), decimal(result.p99),
                String(Int(result.callsPerSecond)), String(format: "%.2f", result.p50 / baseline),
            ]
        }
        return lines([["case", "subject", "p50 µs", "p99 µs", "calls/s", "p50 ×"]] + rows)
    }

    static func table(_ programs: [ProgramResult]) -> String {
        let rows = programs.map { result in
            [
                result.program, String(result.memory.privateDirty), String(result.memory.privateClean),
                String(result.memory.proportional), String(result.memory.resident), decimal(milliseconds(result.ready)),
            ]
        }
        return lines(
            [["idle program", "private dirty KB", "private clean KB", "PSS KB", "RSS KB", "ready after ms"]] + rows)
    }

    static func json(_ cases: [CaseResult], _ programs: [ProgramResult]) -> String {
        let rows = cases.map { result in
            "{\"name\":\"\(result.name)\",\"subject\":\"\(result.subject)\",\"p50_us\":\(decimal(result.p50)),"
                + "\"p99_us\":\(decimal(result.p99)),\"calls_per_s\":\(Int(result.callsPerSecond))}"
        }
        let idle = programs.map { result in
            "{\"program\":\"\(result.program)\",\"private_dirty_kb\":\(result.memory.privateDirty),"
                + "\"private_clean_kb\":\(result.memory.privateClean),\"pss_kb\":\(result.memory.proportional),"
                + "\"rss_kb\":\(result.memory.resident),\"ready_ms\":\(decimal(milliseconds(result.ready)))}"
        }
        return "{\"cases\":[\(rows.joined(separator: ","))],\"idle\":[\(idle.joined(separator: ","))]}"
    }

    private static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    /// Columns as wide as their widest cell.
    private static func lines(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}
