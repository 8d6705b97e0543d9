/// Computes the widths of a table's columns.
enum ColumnWidths {
    /// - Parameters:
    ///   - natural: the width of each column's content.
    ///   - minimum: the minimum width of each column, at most its natural width; equal to it for a rigid column.
    ///   - room: the total width of the columns, without the gaps.
    /// - Returns: nil when the minimum does not fit.
    static func fitting(natural: [Int], minimum: [Int], in room: Int) -> [Int]? {
        let spare = room - minimum.reduce(0, +)
        guard spare >= 0 else { return nil }
        return sharing(spare, from: minimum, upTo: natural)
    }

    /// Adds one character to each column in turn, so that flexible columns share the spare width, up to their natural
    /// width.
    private static func sharing(_ spare: Int, from minimum: [Int], upTo natural: [Int]) -> [Int] {
        var widths = minimum
        var spare = min(spare, natural.reduce(0, +) - minimum.reduce(0, +))
        while spare > 0 {
            for index in widths.indices where spare > 0 && widths[index] < natural[index] {
                widths[index] += 1
                spare -= 1
            }
        }
        return widths
    }
}
