/// Rows under headings for people, two spaces between the columns. Cells are escaped, so that anything stored may be
/// shown, and the text fits the terminal: flexible columns give way first; where even that is not enough, each row
/// becomes a block of `Heading: value` lines rather than losing an identifier.
struct TextTable: Sendable {
    enum Fit: Sendable {
        /// Always shown whole: identifiers, numbers, dates.
        case rigid
        /// Shortened with an ellipsis.
        case shorten
        /// Continued on further lines.
        case wrap
    }

    struct Column: Sendable {
        let heading: String
        let alignment: DisplayWidth.Alignment
        let fit: Fit

        init(_ heading: String, align alignment: DisplayWidth.Alignment = .left, fit: Fit = .rigid) {
            self.heading = Escaping.visible(heading)
            self.alignment = alignment
            self.fit = fit
        }
    }

    /// A flexible column that has fewer columns than this is not worth reading.
    static let minimumFlexibleWidth = 8

    let columns: [Column]
    let rows: [[String]]

    /// Every row must have a cell for every column.
    init(_ columns: [Column], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "every row has a cell for every column")
        self.columns = columns
        self.rows = rows.map { $0.map(Escaping.visible) }
    }

    /// Lines to print, without a line feed after the last; without rows just the headings. No `width` (standard output
    /// is no terminal) shortens and wraps nothing.
    func rendered(in width: Int?, style: Style = .plain) -> String {
        lines(in: width, style: style).joined(separator: "\n")
    }

    private func lines(in width: Int?, style: Style) -> [String] {
        let natural = naturalWidths
        guard let width else { return grid(natural, style: style) }
        let room = width - Self.gap.count * (columns.count - 1)
        let widths = ColumnWidths.fitting(natural: natural, minimum: minimumWidths(natural), in: room)
        return widths.map { grid($0, style: style) } ?? blocks(in: width, style: style)
    }

    private var naturalWidths: [Int] {
        columns.enumerated().map { index, column in
            rows.reduce(DisplayWidth.of(column.heading)) { max($0, DisplayWidth.of($1[index])) }
        }
    }

    private func minimumWidths(_ natural: [Int]) -> [Int] {
        zip(columns, natural).map { column, natural in
            let least = max(Self.minimumFlexibleWidth, DisplayWidth.of(column.heading))
            return column.fit == .rigid ? natural : min(natural, least)
        }
    }
}
