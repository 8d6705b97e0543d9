/// The layout of a table as columns, for a terminal that is wide enough. `TextTable+Blocks.swift` has the other layout.
extension TextTable {
    static let gap = "  "

    func grid(_ widths: [Int], style: Style) -> [String] {
        [line(columns.map(\.heading), widths, drawn: style.bold)] + rows.flatMap { lines(of: $0, widths) }
    }

    private func lines(of row: [String], _ widths: [Int]) -> [String] {
        let cells = zip(columns, zip(row, widths)).map { column, cell in
            Self.lines(of: cell.0, width: cell.1, fit: column.fit)
        }
        let height = cells.map(\.count).max() ?? 0
        return (0..<height).map { index in
            line(cells.map { index < $0.count ? $0[index] : "" }, widths) { $0 }
        }
    }

    private static func lines(of cell: String, width: Int, fit: Fit) -> [String] {
        switch fit {
        case .rigid: [cell]
        case .shorten: [DisplayWidth.truncated(cell, to: width)]
        case .wrap: Wrapping.lines(cell, width: width)
        }
    }

    /// Pads first, because the escape sequences that `drawn` adds have no width.
    private func line(_ cells: [String], _ widths: [Int], drawn: (String) -> String) -> String {
        let padded = zip(columns, zip(cells, widths)).map { column, cell in
            let spaces = DisplayWidth.padded("", to: cell.1 - DisplayWidth.of(cell.0))
            return column.alignment == .left ? drawn(cell.0) + spaces : spaces + drawn(cell.0)
        }
        return padded.joined(separator: Self.gap).withoutTrailingSpaces
    }
}

extension String {
    fileprivate var withoutTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
