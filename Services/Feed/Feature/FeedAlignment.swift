/// Rules that compare a newly fetched page with a cached run of items.
public enum FeedAlignment {
    /// Finds the items of a page that are in the same order in the run. The other items are new or have moved.
    /// - Parameter depths: how deep the run has each item; nil for an item that it does not have.
    /// - Returns: the indexes of the longest increasing subsequence; of two equally long ones, the one that ends later in
    ///   the page, because items that are published again appear at the top.
    public static func inOrder(_ depths: [Int?]) -> [Int] {
        // For each item: the longest subsequence that ends with it, and the previous row of that subsequence.
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

    /// Whether a page that skips items of the run means that these items were removed. The other explanation is that
    /// items of the page were published again and have moved past them. The explanation with fewer changes wins; on a
    /// tie nothing is removed.
    /// - Parameter met: how many items of the page are in the run, in the page's order; a cursor that is an item counts
    ///   as one.
    public static func isRemoval(met: Int, skipped: Int) -> Bool { skipped < met }

    /// How many nodes ahead a page of `count` items is compared with a run.
    public static func reach(of count: Int) -> Int { 2 * count + 1 }
}
