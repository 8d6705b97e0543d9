import Feed

/// Which way a page leads from its cursor along the axis of positions.
enum Heading {
    /// To older items, at lower positions.
    case down
    case up

    init(_ cursor: FeedCursor) { self = cursor.isDownward ? .down : .up }

    /// What a step adds to a position.
    var step: Int64 { self == .down ? -1 : 1 }

    var opposite: Heading { self == .down ? .up : .down }

    /// Grows in the direction of reading.
    func depth(_ position: Int64) -> Int64 { position * step }

    /// Where a run ends in this direction.
    func end(of run: CacheRun) -> Int64 { self == .down ? run.low : run.high }

    /// What of a run comes after a position; nil when that is nothing.
    func ahead(of position: Int64, in run: CacheRun) -> ClosedRange<Int64>? {
        switch self {
        case .down: run.low < position ? run.low...min(run.high, position - 1) : nil
        case .up: run.high > position ? max(run.low, position + 1)...run.high : nil
        }
    }

    /// The positions between two others, the first of which comes first in this direction.
    func between(_ first: Int64, _ second: Int64) -> ClosedRange<Int64>? {
        let (low, high) = (min(first, second) + 1, max(first, second) - 1)
        return low <= high ? low...high : nil
    }
}
