/// Where there is no room on the axis, or the wrong order.
extension CacheAxis {
    /// A free position beyond all runs.
    func beyond(_ heading: Heading) throws -> Int64 {
        let end = try Int64.fetchOne(
            db, sql: heading == .down ? "SELECT min(low) FROM run" : "SELECT max(high) FROM run")
        return end.map { $0 + heading.step * Self.region } ?? 0
    }

    /// Moves what stands in a range. It must not overlap with where it goes, and nothing may stand there.
    func move(_ range: ClosedRange<Int64>, by distance: Int64) throws {
        for table in ["item", "place"] {
            try db.cachedStatement(sql: "UPDATE \(table) SET position = position + ? WHERE position BETWEEN ? AND ?")
                .execute(arguments: [distance, range.lowerBound, range.upperBound])
        }
    }

    /// Moves a run so that its end that comes first in a direction is at `position`.
    func move(_ run: CacheRun, _ heading: Heading, to position: Int64) throws -> CacheRun {
        let span = run.high - run.low
        var run = run
        func shift(by distance: Int64) throws {
            try move(run.range, by: distance)
            run.low += distance
            run.high += distance
            run.start = run.start.map { $0 + distance }
        }
        if abs(position - heading.opposite.end(of: run)) <= span {
            try shift(by: try beyond(heading) + heading.step * span - heading.end(of: run))
        }
        try shift(by: position - heading.opposite.end(of: run))
        try run.update(db)
        return run
    }

    /// Makes sure that next to a run's end so much of the axis is free. Other runs move away, whole, which takes time in
    /// proportion to their length: it happens after the upstream has contradicted itself, not on a usual walk.
    func makeRoom(_ distance: Int64, next run: CacheRun, _ heading: Heading, besides other: Int64? = nil) throws {
        let end = heading.end(of: run)
        while let neighbour = try run.neighbour(heading, besides: other, db),
            abs(heading.opposite.end(of: neighbour) - end) <= distance
        {
            _ = try move(neighbour, heading, to: try beyond(heading))
        }
    }

    /// Moves a run, or what is between, so that it is the next one in a direction; whichever is shorter.
    func bring(_ other: CacheRun, next run: CacheRun, _ heading: Heading) throws -> CacheRun {
        let isAhead = heading.depth(heading.opposite.end(of: other)) >= heading.depth(heading.end(of: run))
        while let neighbour = try run.neighbour(heading, db), neighbour.id != other.id || !isAhead {
            guard isAhead, neighbour.span < other.span else {
                try makeRoom(other.span + 2 * Self.gap, next: run, heading, besides: other.id)
                return try move(other, heading, to: heading.end(of: run) + heading.step * Self.gap)
            }
            _ = try move(neighbour, heading, to: try beyond(heading))
        }
        guard isAhead else { return try move(other, heading, to: heading.end(of: run) + heading.step * Self.gap) }
        return other
    }

    /// Makes two runs of one: what it has above a position, and what it has below.
    func split(_ run: CacheRun, at position: Int64) throws {
        try run.delete(db)
        for (side, isComplete) in [(Heading.up, false), (.down, run.isComplete)] {
            guard let range = side.ahead(of: position, in: run), let nearest = try first(range, side) else { continue }
            let end = side.end(of: run)
            let part = min(nearest, end)...max(nearest, end)
            _ = try CacheRun.insert(
                part, savedAt: run.savedAt, isComplete: isComplete,
                start: run.start.flatMap { part.contains($0) ? $0 : nil }, db)
        }
    }

    /// Between what was moved and what it was moved next to.
    static let gap: Int64 = spacing << 12
}
