import Feed
import Foundation
import GRDB

/// The table of the cache: reads items and chains of successors, and changes them. An index allows each node one
/// predecessor only. The rules for interpreting an upstream's answers are in `PageKeeper`.
struct CacheLinks {
    let db: Database

    /// The maximum number of links that are followed from a node. What is further away counts as unknown.
    static let longestWalk = 1_000

    // MARK: Reading

    func node(_ id: UUID) throws -> CacheNode? { try node("WHERE id = ?", id) }

    func node(_ number: Int64) throws -> CacheNode {
        guard let node = try node("WHERE number = ?", number) else {
            throw Self.damage("a link leads to node \(number), which does not exist")
        }
        return node
    }

    private func node(_ condition: String, _ key: some DatabaseValueConvertible) throws -> CacheNode? {
        let statement = try db.cachedStatement(sql: "SELECT \(CacheNode.columns) FROM node \(condition)")
        return try Row.fetchOne(statement, arguments: [key]).map(CacheNode.init(row:))
    }

    func image(_ number: Int64) throws -> FeedImage? {
        let statement = try db.cachedStatement(
            sql: "SELECT \(FeedImage.columns) FROM node WHERE number = ? AND state = 1")
        return try Row.fetchOne(statement, arguments: [number]).map(FeedImage.init(row:))
    }

    func item(_ id: UUID) throws -> CachedFeedItem? {
        let statement = try db.cachedStatement(
            sql: "SELECT \(FeedImage.columns), saved_at FROM node WHERE id = ? AND state = 1")
        return try Row.fetchOne(statement, arguments: [id]).map { row in
            CachedFeedItem(
                try FeedImage(row: row),
                savedAt: Date(timeIntervalSince1970: try row.decode(atIndex: row.count - 1)))
        }
    }

    func predecessor(of number: Int64) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT number FROM node WHERE next = ? AND state <> 2")
        return try Int64.fetchOne(statement, arguments: [number])
    }

    /// The nodes that follow a node, at most `limit`, also across gaps that items have left which moved: the upstream still has to say
    /// what follows there, and what it then passes over was removed.
    /// - Parameter origin: a node that must not be behind a gap; nil for the node itself.
    func run(after node: CacheNode, limit: Int, apartFrom origin: CacheNode? = nil) throws -> [CacheNode] {
        var (run, last, passed) = ([CacheNode](), node, Set([node.number]))
        while run.count < limit, let next = try follower(of: last, apartFrom: origin ?? node),
            passed.insert(next.number).inserted
        {
            run.append(next)
            last = next
        }
        return run
    }

    private func follower(of node: CacheNode, apartFrom origin: CacheNode) throws -> CacheNode? {
        if let next = node.next { return try self.node(next) }
        guard node.endedAt == nil, let next = try nodeBehindGap(after: node.number),
            try predecessor(of: next.number) == nil, try !leads(next.number, to: origin.number)
        else { return nil }
        return next
    }

    private func nodeBehindGap(after number: Int64) throws -> CacheNode? {
        try node("WHERE former = ?", number)
    }

    /// The node itself or, for a removed item, the one that follows its place; nil when that is not known, or nothing
    /// follows.
    func place(of cursor: CacheNode) throws -> CacheNode? {
        var node = cursor
        for _ in 1...Self.longestWalk where node.state == .removed {
            guard let next = node.next else { return nil }
            node = try self.node(next)
        }
        return node.state == .removed ? nil : node
    }

    /// Whether the chain after a node leads to another. Also true when that is too far away to know.
    func leads(_ first: Int64, to last: Int64) throws -> Bool {
        var (down, up) = (first, last)
        for _ in 1...Self.longestWalk {
            guard let next = try node(down).next, let previous = try predecessor(of: up) else { return false }
            if next == last || previous == first { return true }
            (down, up) = (next, previous)
        }
        return true
    }

    /// The items before (`upward`) or after an item, as far as its chain and the limit reach.
    func ids(beside id: UUID, upward: Bool, limit: Int) throws -> Set<UUID> {
        guard let node = try node(id), let place = try place(of: node) else { return [] }
        let first = upward ? try predecessor(of: place.number) : node.state == .removed ? place.number : place.next
        let further = upward ? "node.next = beside.number" : "node.number = beside.next"
        let statement = try db.cachedStatement(
            sql: """
                WITH RECURSIVE beside (number, next) AS (
                    SELECT number, next FROM node WHERE number = ?
                    UNION SELECT node.number, node.next FROM beside JOIN node ON \(further) AND node.state <> 2 LIMIT ?)
                SELECT node.id FROM beside JOIN node USING (number) WHERE node.state = 1
                """)
        return try UUID.fetchSet(statement, arguments: [first, limit])
    }

    /// - Returns: the first contradiction; nil for none.
    func damage() throws -> String? {
        let broken = try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM node LEFT JOIN node AS other ON other.number = node.next
                WHERE node.next IS NOT NULL
                    AND (other.number IS NULL OR other.number = 0 OR node.state <> 2 AND other.state = 2)
                """)
        guard broken == 0 else { return "a link leads to no item" }
        let isEndless = try Bool.fetchOne(
            db,
            sql: """
                WITH RECURSIVE reached (number, next) AS (
                    SELECT number, next FROM node WHERE state <> 2
                        AND number NOT IN (SELECT next FROM node WHERE next IS NOT NULL AND state <> 2)
                    UNION ALL SELECT node.number, node.next FROM node JOIN reached ON node.number = reached.next)
                SELECT (SELECT count(*) FROM reached) <> (SELECT count(*) FROM node WHERE state <> 2)
                """)
        return isEndless == true ? "a chain has no beginning" : nil
    }

    /// The node that the upstream has not shown for the longest time, and not after `time`.
    func oldest(before time: Date = .distantFuture) throws -> CacheNode? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(CacheNode.columns) FROM node WHERE saved_at <= ? AND number <> ? ORDER BY saved_at LIMIT 1
                """)
        return try Row.fetchOne(statement, arguments: [time.timeIntervalSince1970, CacheNode.beginning])
            .map(CacheNode.init(row:))
    }

    /// When the upstream showed what it has not shown for the longest time: an item of the feed, its beginning or its end.
    /// - Returns: nil unless a run of at most `longestWalk` nodes is all of the feed.
    func oldestOfWholeFeed() throws -> Date? {
        var node = try node(CacheNode.beginning)
        var oldest = node.savedAt
        for _ in 0...Self.longestWalk {
            guard let next = node.next else { return node.endedAt.map { min(oldest, $0) } }
            node = try self.node(next)
            oldest = min(oldest, node.savedAt)
        }
        return nil
    }

    /// Items that the upstream has not shown since a time, at most `limit`.
    func items(shownBefore time: Date, limit: Int) throws -> [CacheNode] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(CacheNode.columns) FROM node WHERE saved_at < ? AND state = 1 ORDER BY saved_at LIMIT ?
                """)
        return try Array(
            Row.fetchCursor(statement, arguments: [time.timeIntervalSince1970, limit]).map(CacheNode.init(row:)))
    }

    /// The size of the cached items, in bytes, as it counts against the budget.
    func weight() throws -> Int { try Int.fetchOne(db, sql: "SELECT total FROM weight") ?? 0 }

    /// The first node of the run that has a node.
    /// - Returns: nil for the run at the beginning of the feed, and if there are more than `limit` nodes before this one.
    func first(before node: CacheNode, limit: Int) throws -> CacheNode? {
        var first = node.number
        for _ in 0...limit {
            guard let before = try predecessor(of: first) else { return try self.node(first) }
            guard before != CacheNode.beginning else { return nil }
            first = before
        }
        return nil
    }

    // MARK: Links

    /// Records that `second` follows `first`. Whatever else followed `first`, or preceded `second`, no longer does.
    func connect(_ first: Int64, _ second: Int64) throws {
        guard first != second else { throw Self.damage("node \(first) would follow itself") }
        let (former, next) = (try former(of: first), try node(first).next)
        try run("UPDATE node SET next = NULL WHERE next = ? AND state <> 2", [second])
        try run("UPDATE node SET next = ?, ended_at = NULL WHERE number = ?", [second, first])
        try closeGap(after: first)
        // An item that has moved alone was behind a gap: now what was behind the item is.
        guard let former, let next, next != second, next != former else { return }
        try closeGap(before: first)
        try closeGap(after: former)
        try run("UPDATE node SET former = ? WHERE number = ?", [former, next])
    }

    /// Notes, before a node leaves its place, which nodes it was between.
    func leaveGap(for number: Int64) throws {
        let node = try node(number)
        let next = try node.next ?? nodeBehindGap(after: number)?.number
        let previous = try predecessor(of: number) ?? former(of: number)
        try closeGap(before: number)
        try closeGap(after: number)
        guard let previous, let next, previous != next else { return }
        try closeGap(after: previous)
        try run("UPDATE node SET former = ? WHERE number = ?", [previous, next])
    }

    private func former(of number: Int64) throws -> Int64? {
        let statement = try db.cachedStatement(sql: "SELECT former FROM node WHERE number = ?")
        return try Int64.fetchOne(statement, arguments: [number])
    }

    private func closeGap(before number: Int64) throws {
        try run("UPDATE node SET former = NULL WHERE number = ? AND former IS NOT NULL", [number])
    }

    private func closeGap(after number: Int64) throws {
        try run("UPDATE node SET former = NULL WHERE former = ?", [number])
    }

    /// Marks the successor of a node as unknown.
    func cut(after number: Int64) throws {
        try run("UPDATE node SET next = NULL, ended_at = NULL WHERE number = ?", [number])
    }

    /// Marks the place of a node as unknown: it follows no node, and is no removed item's place.
    func cut(before number: Int64) throws {
        try run("UPDATE node SET next = NULL WHERE next = ? AND state <> 2", [number])
        try run("UPDATE node SET next = NULL WHERE next = ? AND state = 2", [number])
    }

    /// Records that nothing follows a node.
    func end(after number: Int64, at time: Date) throws {
        try run(
            "UPDATE node SET next = NULL, ended_at = ? WHERE number = ?", [time.timeIntervalSince1970, number])
        try closeGap(after: number)
    }

    // MARK: Nodes

    /// Records when the upstream showed a node again. An answer from the upstream's cache may be older than an earlier
    /// answer.
    func refresh(_ number: Int64, at time: Date) throws {
        try run("UPDATE node SET saved_at = max(saved_at, ?) WHERE number = ?", [time.timeIntervalSince1970, number])
    }

    /// Corrects the times of all nodes that a wrong clock has dated too late. Otherwise they would seem newer than each answer, and
    /// their items would neither expire nor be removed.
    /// - Parameters:
    ///   - now: the present time.
    ///   - time: the corrected time.
    func correctTimes(beyond now: Date, to time: Date) throws {
        let latest = now.addingTimeInterval(FeedCachePolicy.longestStepBack).timeIntervalSince1970
        let seconds = time.timeIntervalSince1970
        try run(
            "UPDATE node SET saved_at = ?, ended_at = min(ended_at, ?) WHERE saved_at > ?", [seconds, seconds, latest])
    }

    /// Inserts a node without neighbours for an id that is known only as a cursor.
    func insertCursor(_ id: UUID, savedAt: Date) throws -> CacheNode {
        try run("INSERT INTO node (id, state, saved_at) VALUES (?, 0, ?)", [id, savedAt.timeIntervalSince1970])
        return try node(db.lastInsertedRowID)
    }

    /// Inserts an item without neighbours, or replaces its content. An item that was removed and is shown again may be
    /// at another place.
    /// - Parameter known: its node; nil when it has none.
    /// - Returns: its number.
    func write(_ image: FeedImage, over known: CacheNode?, savedAt: Date) throws -> Int64 {
        if let known, known.state == .removed {
            try cut(after: known.number)
            try cut(before: known.number)
        }
        // Most items have not changed.
        if let known, try self.image(known.number) == image {
            try refresh(known.number, at: savedAt)
            return known.number
        }
        try run(
            """
            INSERT INTO node
            (id, state, saved_at, description, location, image, width, height, placeholder, published_at, tags,
                details)
            VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET state = 1, saved_at = max(saved_at, excluded.saved_at),
                description = excluded.description, location = excluded.location, image = excluded.image,
                width = excluded.width, height = excluded.height, placeholder = excluded.placeholder,
                published_at = excluded.published_at, tags = excluded.tags, details = excluded.details
            """,
            [
                image.id, savedAt.timeIntervalSince1970, image.description, image.location, image.image,
                image.hints.width, image.hints.height, image.hints.placeholder?.bytes, image.publishedSeconds,
                image.tagsText, image.detailsText,
            ])
        return known?.number ?? db.lastInsertedRowID
    }

    /// Marks an item as removed at the upstream. It remains a cursor.
    /// - Parameter next: the node that follows its place; nil when nothing follows.
    func markRemoved(_ number: Int64, before next: Int64?, at time: Date) throws {
        let seconds = time.timeIntervalSince1970
        try leaveGap(for: number)
        try run("UPDATE node SET next = NULL WHERE next = ? AND state <> 2", [number])
        try run(
            """
            UPDATE node SET state = 2, saved_at = ?, next = ?, ended_at = ?, description = NULL, location = NULL,
                image = NULL, width = NULL, height = NULL, placeholder = NULL, published_at = NULL, tags = NULL,
                details = NULL
            WHERE number = ?
            """, [seconds, next, next == nil ? seconds : nil, number])
    }

    /// Marks an item as removed. What was behind it now follows what was before it.
    /// - Parameter time: when the upstream has said so. An item that it has shown since then stays.
    /// - Returns: whether the item was removed.
    func remove(_ id: UUID, at time: Date) throws -> Bool {
        guard let item = try node(id), item.state == .item, item.savedAt <= time else { return false }
        let previous = try predecessor(of: item.number)
        try markRemoved(item.number, before: item.next, at: time)
        if let next = item.next {
            if let previous { try connect(previous, next) }
        } else if let end = item.endedAt {
            if let previous { try self.end(after: previous, at: end) }
        } else {
            try cut(after: item.number)
        }
        return true
    }

    /// Deletes a node. Its chain is split there.
    func delete(_ node: CacheNode) throws {
        try cut(before: node.number)
        try closeGap(after: node.number)
        try run("DELETE FROM node WHERE number = ?", [node.number])
    }

    /// Inconsistent links are reported as SQLite reports damage, so that the cache file is set aside.
    private static func damage(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: reason)
    }

    private func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
