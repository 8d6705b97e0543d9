import Foundation

/// What a newly fetched page says about the items that the cache had after the page's cursor, its run, and about other
/// runs that the page leads to.
///
/// A page that passes over items of a run has two explanations: those were removed, or items of the page were
/// published again and have moved past them. The one with fewer changes holds; on a tie nothing was removed.
public struct FeedAlignment: Sendable {
    /// Indexes of the page's items that are where a run had them. The others are new or have moved.
    public private(set) var kept: Set<Int> = []

    /// Items of the runs that were removed: the index in all runs, one after another, and in the page that of the item
    /// that now follows.
    public private(set) var removed: [(index: Int, next: Int)] = []

    private let page: [UUID]
    private let isAfterItem: Bool

    /// How many items the runs have.
    private var length = 0

    /// - Parameters:
    ///   - run: ids in feed order; nil for one that is not known.
    ///   - isAfterItem: whether the cursor is an item of the feed. Then it is where the run had it, too.
    public init(page: [UUID], run: [UUID?], isAfterItem: Bool) {
        (self.page, self.isAfterItem) = (page, isAfterItem)
        add(run)
    }

    /// The items of the page after the last that is kept.
    public var rest: Range<Int> { (kept.max().map { $0 + 1 } ?? 0)..<page.count }

    /// Compares the rest of the page with a run.
    public mutating func add(_ run: [UUID?]) {
        var depths: [UUID: Int] = [:]
        for (depth, id) in run.enumerated() { if let id { depths[id] = depth } }
        let found = page.map { depths[$0] }
        let shown = Set(found.compactMap(\.self))
        let inOrder = Self.inOrder(page.indices.map { rest.contains($0) ? found[$0] : nil })
        var (passed, depth) = ([(index: Int, next: Int)](), 0)
        for index in inOrder {
            let end = found[index] ?? depth
            passed += (depth..<end).filter { !shown.contains($0) }.map { (length + $0, index) }
            depth = end + 1
        }
        if passed.count < inOrder.count + (isAfterItem || !kept.isEmpty ? 1 : 0) {
            kept.formUnion(inOrder)
            removed += passed
        }
        length += run.count
    }

    /// How many items of a run a page of `count` items is compared with.
    public static func reach(of count: Int) -> Int { 2 * count + 1 }

    /// Finds the items of a page that are in the same order in the run.
    /// - Parameter depths: how deep the run has each item; nil for an item that it does not have.
    /// - Returns: the indexes of the longest increasing subsequence; of two equally long ones, the one that ends later in
    ///   the page, because items that are published again appear at the top.
    static func inOrder(_ depths: [Int?]) -> [Int] {
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
}
