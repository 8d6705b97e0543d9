/// How a newly fetched page relates to what a run holds.
public enum FeedAlignment {
    /// Which items of a page are still where the run has them. The others are new or have moved.
    /// - Parameter depths: how deep the run has each item; nil for an item that it does not have.
    /// - Returns: the indexes of the longest increasing subsequence; of two equally long ones, the one that ends later in
    ///   the page, because items that are published again appear at the top.
    public static func inOrder(_ depths: [Int?]) -> [Int] {
        // For each item the longest subsequence that ends with it, and the entry before it.
        var rows: [(index: Int, depth: Int, length: Int, previous: Int?)] = []
        for (index, depth) in depths.enumerated() {
            guard let depth else { continue }
            var (length, previous) = (1, Int?.none)
            for (row, candidate) in rows.enumerated() where candidate.depth < depth && candidate.length >= length {
                (length, previous) = (candidate.length + 1, row)
            }
            rows.append((index, depth, length, previous))
        }
        var indexes: [Int] = []
        var row = rows.indices.max { (rows[$0].length, $0) < (rows[$1].length, $1) }
        while let current = row {
            indexes.append(rows[current].index)
            row = rows[current].previous
        }
        return indexes.reversed()
    }

    /// A page skips items that the run holds between two items of the page. Either the skipped items were removed, or the
    /// page's items were published again and have moved past them. The explanation with fewer changes is believed; in doubt
    /// nothing is removed.
    /// - Parameter met: how many items stand in the run in the page's order; a cursor that is an item counts as one.
    public static func isRemoval(met: Int, skipped: Int) -> Bool { skipped < met }

    /// How far ahead a page of `count` items can meet a run.
    public static func reach(of count: Int) -> Int { 2 * count + 1 }
}
