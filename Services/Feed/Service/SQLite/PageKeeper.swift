import Feed
import Foundation
import GRDB

/// Takes one page into the runs. See `FeedCache` for the rules; what follows is written for both directions, so "ahead"
/// is towards older items below an `after` cursor and towards newer ones above a `before` cursor.
struct PageKeeper {
    private let axis: CacheAxis
    private let page: FetchedFeedPage
    private let heading: Heading
    private var run: CacheRun

    /// Up to where the page has been taken in.
    private var position: Int64

    /// What of the page has not been taken in yet, in the direction of reading.
    private var rest: ArraySlice<FeedImage>

    init(_ page: FetchedFeedPage, _ db: Database) throws {
        self.page = page
        axis = CacheAxis(db: db)
        heading = Heading(page.cursor)
        (run, position) = try Self.origin(page, axis, heading)
        let passed = try Self.passed(page.items.map(\.id), from: position, in: run, heading, db)
        let items = page.items.filter { !passed.contains($0.id) && $0.id != page.cursor.id }
        rest = (heading == .down ? items : items.reversed())[...]
    }

    /// The run in which the cursor stands, and where. For a cursor that is not known a run of its own begins there.
    private static func origin(
        _ page: FetchedFeedPage, _ axis: CacheAxis, _ heading: Heading
    ) throws -> (CacheRun, Int64) {
        guard let id = page.cursor.id else {
            let top = try axis.beyond(.up)
            return (try CacheRun.insert(top...top, savedAt: page.savedAt, axis.db), top)
        }
        if let place = try CachePlace.of(id, axis.db) {
            if let run = try CacheRun.at(place, heading, axis.db) { return (run, place.position) }
            // Known as the edge of a run on its other side.
            let run = try CacheRun.insert(place.position...place.position, savedAt: page.savedAt, axis.db)
            return (run, place.position)
        }
        let bottom = try axis.beyond(.down)
        try axis.mark(id, at: bottom)
        return (try CacheRun.insert(bottom...bottom, savedAt: page.savedAt, axis.db), bottom)
    }

    /// Which items a run holds behind a position.
    static func passed(
        _ ids: [UUID], from position: Int64, in run: CacheRun, _ heading: Heading, _ db: Database
    ) throws -> Set<UUID> {
        guard let behind = heading.opposite.ahead(of: position, in: run) else { return [] }
        return try Set(
            ids.filter { id in
                guard let place = try CachePlace.of(id, db) else { return false }
                return place.isItem && behind.contains(place.position)
            })
    }

    mutating func keep() throws -> KeptFeedPage {
        let new = try Set(rest.map(\.id).filter { try CachePlace.of($0, axis.db)?.isItem != true })
        let items = Array(rest)
        try takeIn()
        try finish()
        let isLast = try run.isComplete && itemsAhead() == false
        let ordered = heading == .down ? items : items.reversed()
        return KeptFeedPage(new: ordered.filter { new.contains($0.id) }, isLast: heading == .down && isLast)
    }

    private mutating func takeIn() throws {
        try alignRest()
        while !rest.isEmpty {
            // The upstream goes on with something else than the run.
            try leaveBehind(unlessMoreThan: rest.count)
            guard try joinRunAhead() else { break }
            try alignRest()
        }
        try appendRest()
    }

    // MARK: On what the run holds

    /// Takes in the rest of the page up to the last item that the run has ahead.
    private mutating func alignRest() throws {
        let items = Array(rest)
        var places = try items.map { item -> Int64? in
            guard let place = try CachePlace.of(item.id, axis.db),
                heading.ahead(of: position, in: run)?.contains(place.position) == true
            else { return nil }
            return place.position
        }
        let anchors = FeedAlignment.inOrder(places.map { $0.map(heading.depth) })
        for index in items.indices where places[index] != nil && !anchors.contains(index) {
            try axis.remove(items[index].id)
        }
        var next = 0
        for anchor in anchors {
            guard let place = places[anchor] else { continue }
            if let between = heading.between(position, place) { try axis.clear(between) }
            let shift = try insert(items[next..<anchor], before: place)
            for index in anchor..<places.count { places[index] = places[index].map { $0 + shift } }
            position = place + shift
            try write(items[anchor], at: position)
            next = anchor + 1
        }
        rest = items[next...]
    }

    /// Puts items between where the page has been taken in up to and a place ahead, behind whatever marks a place there.
    /// - Returns: how far all that is ahead had to move.
    private mutating func insert(_ items: ArraySlice<FeedImage>, before place: Int64) throws -> Int64 {
        guard !items.isEmpty else { return 0 }
        let count = Int64(items.count)
        var (nearest, shift) = (place, Int64(0))
        if let between = heading.between(position, place) { nearest = try axis.first(between, heading) ?? place }
        if abs(nearest - position) <= count { shift = try push(from: nearest) }
        nearest += shift
        let room = abs(nearest - position)
        // Close to what follows, where there is a gap between two runs.
        let (origin, step) =
            room > (count + 1) * CacheAxis.spacing
            ? (nearest - heading.step * CacheAxis.spacing * (count + 1), CacheAxis.spacing)
            : (position, room / (count + 1))
        for (index, item) in items.enumerated() {
            try write(item, at: origin + heading.step * step * Int64(index + 1))
        }
        return shift
    }

    /// Moves what the run has from a position on further ahead.
    private mutating func push(from nearest: Int64) throws -> Int64 {
        let end = heading.end(of: run)
        let distance = abs(end - nearest) + CacheAxis.gap
        try axis.makeRoom(distance * 2, next: run, heading)
        try axis.move(min(nearest, end)...max(nearest, end), by: heading.step * distance)
        if let start = run.start, heading.depth(start) >= heading.depth(nearest) {
            run.start = start + heading.step * distance
        }
        moveEnd(to: end + heading.step * distance)
        // The axis must be right for whoever looks for neighbours.
        try run.update(axis.db)
        return heading.step * distance
    }

    // MARK: Beyond what the run holds

    private func itemsAhead() throws -> Bool {
        guard let ahead = heading.ahead(of: position, in: run) else { return false }
        return try axis.first(ahead, heading, itemsOnly: true) != nil
    }

    /// The upstream has not what the run holds ahead. A few items have left the feed; with many it may be the upstream that
    /// is wrong, so they stay, as a run of their own.
    private mutating func leaveBehind(unlessMoreThan few: Int) throws {
        defer { if heading == .down { run.isComplete = false } }
        guard try itemsAhead(), let ahead = heading.ahead(of: position, in: run),
            let nearest = try axis.first(ahead, heading)
        else { return }
        if try axis.countOfItems(ahead) <= few {
            try axis.clear(ahead)
            // What follows in the feed follows those too.
            position = heading.end(of: run)
            return
        }
        let end = heading.end(of: run)
        let cut = min(nearest, end)...max(nearest, end)
        let start = run.start.flatMap { ahead.contains($0) ? min(max($0, cut.lowerBound), cut.upperBound) : nil }
        if start != nil { run.start = nil }
        _ = try CacheRun.insert(
            cut, savedAt: run.savedAt, isComplete: heading == .down && run.isComplete, start: start, axis.db)
        moveEnd(to: position)
        try run.update(axis.db)
    }

    /// Joins the run that has some of the rest, if the page goes on there; takes these items out of runs where they stood
    /// before they moved.
    /// - Returns: whether a run was joined.
    private mutating func joinRunAhead() throws -> Bool {
        for item in rest {
            guard let place = try CachePlace.of(item.id, axis.db), place.isItem || place.isEdge,
                let other = try CacheRun.at(place, heading, axis.db), other.id != run.id
            else { continue }
            let places = try rest.map { item -> Int64? in
                guard let place = try CachePlace.of(item.id, axis.db), place.isItem || place.isEdge,
                    other.range.contains(place.position)
                else { return nil }
                return place.position
            }
            let met = FeedAlignment.inOrder(places.map { $0.map(heading.depth) })
            guard let last = met.last.flatMap({ places[$0] }) else { continue }
            let begin = heading.opposite.end(of: other)
            let known = min(begin, last)...max(begin, last)
            let held = places.count { $0.map(known.contains) == true }
            if FeedAlignment.joins(met: met.count, skipped: try axis.countOfItems(known) - held) {
                try join(other)
                return true
            }
            for (item, place) in zip(rest, places) where place != nil { try take(item.id) }
        }
        return false
    }

    /// Takes an id off the axis. Whether it has moved, or another run knows the same part of the feed, nobody can tell: the
    /// other run ends there, lest it passes over the item in silence.
    private func take(_ id: UUID) throws {
        guard let place = try CachePlace.of(id, axis.db) else { return }
        if place.isItem, let other = try CacheRun.at(place, heading, axis.db), other.id != run.id {
            try axis.split(other, at: place.position)
        }
        try axis.remove(id)
    }

    private mutating func write(_ item: FeedImage, at position: Int64) throws {
        try take(item.id)
        try axis.write(item, at: position)
    }

    private mutating func join(_ other: CacheRun) throws {
        let other = try axis.bring(other, next: run, heading)
        moveEnd(to: heading.end(of: other))
        if heading == .down { run.isComplete = other.isComplete }
        run.start = run.start ?? other.start
        try other.delete(axis.db)
        try run.update(axis.db)
    }

    private mutating func appendRest() throws {
        guard !rest.isEmpty else { return }
        // Beyond the places of what has left the feed.
        if let passed = heading.ahead(of: position, in: run) { try axis.clear(passed) }
        let end = heading.end(of: run)
        try axis.makeRoom(CacheAxis.spacing * Int64(rest.count + 1), next: run, heading)
        for (index, item) in rest.enumerated() {
            position = end + heading.step * CacheAxis.spacing * Int64(index + 1)
            try write(item, at: position)
        }
        moveEnd(to: position)
        rest = []
    }

    private mutating func moveEnd(to end: Int64) {
        if heading == .down { run.low = end } else { run.high = end }
    }

    // MARK: What the page says about its run

    private mutating func finish() throws {
        run.savedAt = page.savedAt
        if page.isEnd {
            try leaveBehind(unlessMoreThan: page.limit)
            if heading == .down { run.isComplete = true }
        } else if heading == .down, page.continuation == .more, try !itemsAhead() {
            run.isComplete = false
        }
        try beginFeed()
        try joinTouching()
        try run.update(axis.db)
        try db("DELETE FROM run WHERE id <> ? AND start IS NULL AND \(Self.isEmpty)", [run.id])
    }

    /// Remembers where the feed begins.
    private mutating func beginFeed() throws {
        let isTop: Bool
        switch page.cursor {
        case .start:
            // The run was begun far above what it holds.
            run.high = try axis.first(run.range, .down) ?? run.high
            isTop = true
        case .before(let id): isTop = try page.isEnd && CachePlace.of(id, axis.db)?.isEdge == false
        case .after: isTop = false
        }
        if isTop {
            try db("UPDATE run SET start = NULL WHERE start IS NOT NULL", [])
            run.start = try axis.first(run.low...max(run.low, topOfPage), .down, itemsOnly: true) ?? run.high
        } else if heading == .up, let start = run.start {
            run.start = max(start, position)
        }
    }

    /// The highest position that the page can speak of.
    private var topOfPage: Int64 { heading == .up ? position : run.high }

    /// An item that was a mere cursor, and the edge of two runs, joins them when it is seen.
    private mutating func joinTouching() throws {
        guard let other = try run.neighbour(heading, axis.db),
            heading.opposite.end(of: other) == heading.end(of: run),
            try axis.first(heading.end(of: run)...heading.end(of: run), heading, itemsOnly: true) != nil
        else { return }
        try join(other)
    }

    private static let isEmpty = """
        NOT EXISTS (SELECT 1 FROM item WHERE position BETWEEN low AND high)
        AND NOT EXISTS (SELECT 1 FROM place WHERE position BETWEEN low AND high)
        """

    private func db(_ sql: String, _ arguments: StatementArguments) throws {
        try axis.db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
