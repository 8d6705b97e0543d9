import Foundation

/// Formats rows of text as aligned columns.
package enum Columns {
    /// The width of the first column: that of the longest name, so that all blocks are aligned.
    private static let nameWidth = 40

    /// Aligns names and notes to the left, numbers to the right.
    /// - Parameter rows: the header and the rows, all of the same length.
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
