import Foundation

/// The results for people and for programs.
enum Report {
    static func table(_ cases: [CaseResult]) -> String {
        var lines = [line("case", "subject", "p50 µs", "p99 µs", "calls/s", "p50 ×")]
        for result in cases {
            let baseline = cases.first { $0.name == result.name }?.p50 ?? .nan
            lines.append(
                line(
                    result.name, result.subject, decimal(result.p50), decimal(result.p99),
                    String(Int(result.callsPerSecond)), String(format: "%.2f", result.p50 / baseline)))
        }
        return lines.joined(separator: "\n")
    }

    static func json(_ cases: [CaseResult]) -> String {
        let rows = cases.map { result in
            "{\"name\":\"\(result.name)\",\"subject\":\"\(result.subject)\",\"p50_us\":\(decimal(result.p50)),"
                + "\"p99_us\":\(decimal(result.p99)),\"calls_per_s\":\(Int(result.callsPerSecond))}"
        }
        return "{\"cases\":[\(rows.joined(separator: ","))]}"
    }

    private static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func line(_ cells: String...) -> String {
        zip(cells, [14, 36, 10, 10, 12, 8]).map { cell, width in
            cell.padding(toLength: max(width, cell.count), withPad: " ", startingAt: 0)
        }.joined().trimmingCharacters(in: .whitespaces)
    }
}
