import Feed
import Foundation
import GRDB

/// The linked list of the cache: walks chains and changes links. The rules for interpreting an upstream's answers are
/// elsewhere.
struct CacheLinks {
    let db: Database

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

    /// The maximum number of nodes that one query walks along a chain. Facts beyond this limit count as unknown.
    static let longestWalk = 10_000

    /// The nodes after a node in its chain: at most `longestWalk`, of which at most `reach` are not removed.
    func nodes(after number: Int64, reach: Int) throws -> [CacheNode] {
        var (nodes, count) = ([CacheNode](), 0)
        var next = try node(number).next
        while count < reach, nodes.count < Self.longestWalk, let number = next {
            let node = try node(number)
            nodes.append(node)
            if node.state != .removed { count += 1 }
            next = node.next
        }
        return nodes
    }

    /// The first node of a node's chain; nil when it is further away than `longestWalk`.
    func head(of number: Int64) throws -> Int64? {
        let statement = try db.cachedStatement(
            sql: """
                WITH RECURSIVE up (number, prev) AS (
                    SELECT number, prev FROM node WHERE number = ?
                    UNION SELECT node.number, node.prev FROM node JOIN up ON node.number = up.prev LIMIT ?)
                SELECT number FROM up WHERE prev IS NULL
                """)
        return try Int64.fetchOne(statement, arguments: [number, Self.longestWalk])
    }

    /// Whether more than `longestWalk` nodes follow a node.
    func isLong(after number: Int64) throws -> Bool {
        try nodes(after: number, reach: Self.longestWalk).count == Self.longestWalk
    }

    /// Like `head(of:)`, but nil when more than `reach` nodes before the node are not removed.
    func head(of node: CacheNode, within reach: Int) throws -> Int64? {
        var (node, count, steps) = (node, 0, 0)
        while let prev = node.prev {
            node = try self.node(prev)
            steps += 1
            if node.state != .removed { count += 1 }
            if count > reach || steps > Self.longestWalk { return nil }
        }
        return node.number
    }

    /// Whether only removed nodes are between the beginning of the feed and a node.
    func isFirst(_ node: CacheNode) throws -> Bool {
        try head(of: node, within: 1) == CacheNode.beginning
            && nodes(after: CacheNode.beginning, reach: 1).last?.number == node.number
    }

    /// The items before (`upward`) or after a node, as far as the chain and `longestWalk` reach.
    func ids(beside id: UUID, upward: Bool) throws -> Set<UUID> {
        let link = upward ? "prev" : "next"
        let statement = try db.cachedStatement(
            sql: """
                WITH RECURSIVE beside (number) AS (
                    SELECT \(link) FROM node WHERE id = ?
                    UNION SELECT node.\(link) FROM node JOIN beside ON node.number = beside.number LIMIT ?)
                SELECT node.id FROM beside JOIN node ON node.number = beside.number WHERE node.state = 1
                """)
        return try UUID.fetchSet(statement, arguments: [id, Self.longestWalk])
    }

    /// Inconsistent links are reported as SQLite reports damage, so that the cache file is set aside.
    private static func damage(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: reason)
    }

    /// - Throws: `FeedStoreError.damaged` when a link has no counterpart, or a chain has no beginning.
    func check() throws {
        let broken = try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM node LEFT JOIN node AS other ON other.number = node.next
                WHERE node.next IS NOT NULL AND other.prev IS NOT node.number
                """)
        let backward = try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM node LEFT JOIN node AS other ON other.number = node.prev
                WHERE node.prev IS NOT NULL AND other.next IS NOT node.number
                """)
        guard broken == 0, backward == 0 else { throw FeedStoreError.damaged("a link has no counterpart") }
        let isEndless = try Bool.fetchOne(
            db,
            sql: """
                WITH RECURSIVE reached (number, next) AS (
                    SELECT number, next FROM node WHERE prev IS NULL
                    UNION ALL SELECT node.number, node.next FROM node JOIN reached ON node.number = reached.next)
                SELECT (SELECT count(*) FROM reached) <> (SELECT count(*) FROM node)
                """)
        if isEndless == true { throw FeedStoreError.damaged("a chain has no beginning") }
    }

    /// The nodes before a node, the nearest first: at most `longestWalk`, of which at most `reach` are not removed.
    func nodes(before number: Int64, reach: Int) throws -> [CacheNode] {
        var (nodes, count) = ([CacheNode](), 0)
        var prev = try node(number).prev
        while count < reach, nodes.count < Self.longestWalk, let number = prev, number != CacheNode.beginning {
            let node = try node(number)
            nodes.append(node)
            if node.state != .removed { count += 1 }
            prev = node.prev
        }
        return nodes
    }

    // MARK: Links

    /// Links two nodes. Removes the links to their previous neighbours.
    func connect(_ first: Int64, _ second: Int64) throws {
        guard first != second else { throw Self.damage("node \(first) would follow itself") }
        try cut(after: first)
        try cut(before: second)
        try run("UPDATE node SET next = ? WHERE number = ?", [second, first])
        try run("UPDATE node SET prev = ? WHERE number = ?", [first, second])
    }

    /// Marks the successor of a node as unknown.
    func cut(after number: Int64) throws {
        try run("UPDATE node SET prev = NULL WHERE number = (SELECT next FROM node WHERE number = ?)", [number])
        try run("UPDATE node SET next = NULL, ended_at = NULL WHERE number = ?", [number])
    }

    /// Marks the predecessor of a node as unknown.
    func cut(before number: Int64) throws {
        if let prev = try node(number).prev { try cut(after: prev) }
    }

    /// Records that nothing follows a node.
    func end(after number: Int64, at time: Date) throws {
        try cut(after: number)
        try run("UPDATE node SET ended_at = ? WHERE number = ?", [time.timeIntervalSince1970, number])
    }

    /// Removes a node from its chain and links its neighbours.
    func takeOut(_ node: CacheNode) throws {
        try cut(after: node.number)
        try cut(before: node.number)
        guard let prev = node.prev else { return }
        if let next = node.next {
            try connect(prev, next)
        } else if let endedAt = node.endedAt {
            try end(after: prev, at: endedAt)
        }
    }

    /// Removes the node of a removed item from its chain, because the upstream shows the item again. Removed items
    /// that follow it become a separate chain: it is unknown on which side of the item's new place they belong.
    func takeOutRemoved(_ node: CacheNode) throws {
        if let next = node.next, try self.node(next).state == .removed { try cut(after: node.number) }
        try takeOut(self.node(node.number))
    }

    // MARK: Nodes

    /// Records when the upstream showed a node again. An answer from the upstream's cache may be older than an earlier
    /// answer.
    func refresh(_ number: Int64, at time: Date) throws {
        try run("UPDATE node SET saved_at = max(saved_at, ?) WHERE number = ?", [time.timeIntervalSince1970, number])
    }

    /// Inserts a node without neighbours for an id that is known only as a cursor.
    func insertCursor(_ id: UUID, savedAt: Date) throws -> CacheNode {
        try run("INSERT INTO node (id, state, saved_at) VALUES (?, 0, ?)", [id, savedAt.timeIntervalSince1970])
        return try node(db.lastInsertedRowID)
    }

    /// Inserts a node without neighbours.
    func insert(_ image: FeedImage, savedAt: Date) throws -> Int64 {
        try run(
            """
            INSERT INTO node
            (id, state, saved_at, description, location, image, width, height, placeholder, published_at, tags,
                details)
            VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                image.id, savedAt.timeIntervalSince1970, image.description, image.location, image.image,
                image.hints.width, image.hints.height, image.hints.placeholder?.bytes, image.publishedSeconds,
                image.tagsText, image.detailsText,
            ])
        return db.lastInsertedRowID
    }

    /// Replaces the content of a node.
    func write(_ image: FeedImage, at number: Int64, savedAt: Date) throws {
        try run(
            """
            UPDATE node SET state = 1, saved_at = max(saved_at, ?), description = ?, location = ?, image = ?, width = ?,
                height = ?, placeholder = ?, published_at = ?, tags = ?, details = ?
            WHERE number = ?
            """,
            [
                savedAt.timeIntervalSince1970, image.description, image.location, image.image, image.hints.width,
                image.hints.height, image.hints.placeholder?.bytes, image.publishedSeconds, image.tagsText,
                image.detailsText, number,
            ])
    }

    /// Marks an item as removed at the upstream. Its node still marks its place.
    func markRemoved(_ number: Int64, savedAt: Date) throws {
        try run(
            """
            UPDATE node SET state = 2, saved_at = ?, description = NULL, location = NULL, image = NULL, tags = NULL,
                details = NULL
            WHERE number = ?
            """, [savedAt.timeIntervalSince1970, number])
    }

    /// Deletes a node. Its chain is split there, unless the node is a removed item.
    func delete(_ node: CacheNode) throws {
        if node.state == .removed { try takeOut(node) }
        try cut(after: node.number)
        try cut(before: node.number)
        try run("DELETE FROM node WHERE number = ?", [node.number])
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

    /// The size of the cached items, in bytes, as it counts against the budget.
    func weight() throws -> Int { try Int.fetchOne(db, sql: "SELECT total FROM weight") ?? 0 }

    private func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
