extension TextTable {
    /// A block per row and a line per cell, with an empty line between the blocks.
    func blocks(in width: Int, style: Style) -> [String] {
        Array(rows.map { block(of: $0, width: width, style: style) }.joined(separator: [""]))
    }

    private func block(of row: [String], width: Int, style: Style) -> [String] {
        zip(columns, row).flatMap { column, cell in
            Self.lines(of: cell, under: column, width: width, style: style)
        }
    }

    private static func lines(of cell: String, under column: Column, width: Int, style: Style) -> [String] {
        let label = column.heading + ":"
        var lines = lines(of: cell.isEmpty ? label : "\(label) \(cell)", width: width, fit: column.fit)
        lines[0] = bold(label, in: lines[0], style: style)
        return lines
    }

    /// Rigid cells are wrapped here too, because they must not be truncated.
    private static func lines(of text: String, width: Int, fit: Fit) -> [String] {
        fit == .shorten
            ? [DisplayWidth.truncated(text, to: width)] : Wrapping.lines(text, width: width, indent: gap)
    }

    /// The line with its label in bold. A line that is too narrow for the whole label contains only a part of the
    /// label.
    private static func bold(_ label: String, in line: String, style: Style) -> String {
        line.hasPrefix(label) ? style.bold(label) + line.dropFirst(label.count) : style.bold(line)
    }
}
