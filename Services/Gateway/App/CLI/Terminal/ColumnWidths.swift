/// How wide the columns of a table are drawn in the room there is.
enum ColumnWidths {
    /// - Parameters:
    ///   - natural: what each column would take.
    ///   - minimum: what each column needs, not above its natural width; equal to it where the column is rigid.
    ///   - room: the width of all columns together, without the gaps.
    /// - Returns: nil when not even the minimum fits.
    static func fitting(natural: [Int], minimum: [Int], in room: Int) -> [Int]? {
        let spare = room - minimum.reduce(0, +)
        guard spare >= 0 else { return nil }
        return sharing(spare, from: minimum, upTo: natural)
    }

    /// Column by column in turn, so that flexible columns share what is left and none gets more than it can use.
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
