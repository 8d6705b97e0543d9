import Foundation

/// Rows of text, one under the other.
package enum Columns {
    /// The first column as wide as the longest name there is, so that blocks stand one under the other.
    private static let nameWidth = 40

    /// Names and notes to the left, numbers to the right.
    /// - Parameter rows: the header first; all as long as it is.
    package static func lines(_ rows: [[String]]) -> String {
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

    package static func number(_ value: Double?, digits: Int = 1) -> String {
        value.map { String(format: "%.\(digits)f", $0) } ?? "-"
    }
}
