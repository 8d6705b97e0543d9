import ServiceKit

/// A text table with headings and two spaces between the columns. Cells are escaped. The table fits the terminal:
/// flexible columns are narrowed first; if that does not suffice, each row becomes a block of `Heading: value` lines,
/// so that no identifier is truncated.
struct TextTable: Sendable {
    enum Fit: Sendable {
        /// Never shortened: identifiers, numbers, dates.
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

    /// The minimum width of a flexible column.
    static let minimumFlexibleWidth = 8

    let columns: [Column]
    let rows: [[String]]

    /// Every row must have a cell for every column.
    init(_ columns: [Column], rows: [[String]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "every row has a cell for every column")
        self.columns = columns
        self.rows = rows.map { $0.map(Escaping.visible) }
    }

    /// The lines to print, without a final line feed; without rows only the headings. Without `width`, when standard
    /// output is not a terminal, nothing is shortened or wrapped.
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
