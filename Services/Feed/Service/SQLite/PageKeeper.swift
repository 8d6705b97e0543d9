import Feed
import Foundation
import GRDB

/// Takes one page into the runs. See `FeedCache` for the rules; what follows is written for both directions, so "ahead"
/// is towards older items below an `after` cursor and towards newer ones above a `before` cursor.
struct PageKeeper {
    let axis: CacheAxis
    let page: FetchedFeedPage
    let heading: Heading
    var run: CacheRun

    /// Up to where the page has been taken in.
    var position: Int64

    /// What of the page has not been taken in yet, in the direction of reading.
    var rest: ArraySlice<FeedImage>

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
