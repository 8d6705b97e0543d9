import Foundation

/// How a page that was fetched now lies on what a run has held.
public enum FeedAlignment {
    /// Which items of a page stand where the run has them. The others are new, or were published again and have moved.
    /// - Parameter depths: how deep the run has each item; nil for what it does not have.
    /// - Returns: the indexes of the longest row that goes down; of two that are equally long the one that goes further in
    ///   the page: what has moved stands on top.
    public static func inOrder(_ depths: [Int64?]) -> [Int] {
        // For each item the length of the longest row that ends with it, and the item before it in that row.
        var rows: [(index: Int, depth: Int64, length: Int, previous: Int?)] = []
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

    /// A page from outside goes on in a run that has some of its items: then what the run has before them was removed. Or
    /// they were published again, and stand elsewhere now. What takes fewer changes is believed.
    /// - Parameter met: how many items stand in the run in the page's order.
    /// - Returns: how many items, that the page does not have, the run may have before the last of them.
    public static func mostSkipped(met: Int) -> Int { met }
}
