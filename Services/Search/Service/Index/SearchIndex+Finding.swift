import Foundation
import GRDB
import Search

extension SearchIndex {
    /// When more images match, only the newest of them are ranked: ranking a word that half of the images have would take seconds.
    static let maximumRanked = 10_000

    /// The weights of BM25: title, tags, place, comments, authors, keys.
    private static let rank = "bm25(word, 10.0, 8.0, 5.0, 1.0, 0.0, 0.0)"

    /// How many comments of an image are read for its snippet.
    static let snippetComments = 100

    struct Page: Sendable {
        var images: [Found] = []
        var hasMore = false

        /// The number of matching images, counted up to the limit.
        var total = 0
    }

    struct Found: Sendable {
        let id: UUID
        let cursor: SearchCursor
        let snippet: Snippet
    }

    private struct Hit {
        let number: Int64
        var score = 0.0
    }

    /// - Parameter maximumTotal: where counting ends.
    func find(
        _ query: SearchQuery, _ limit: Int, after cursor: SearchCursor?, maximumTotal: Int
    ) async throws -> Page {
        guard !query.isUnsearchable else { return Page() }
        return try await pool.read { db in
            var hits =
                query.isRanked ? try Self.ranked(query, cursor, db) : try Self.newest(query, limit + 1, cursor, db)
            let hasMore = hits.count > limit
            hits = Array(hits.prefix(limit))
            return Page(
                images: try hits.map { try Self.found($0, query, db) }, hasMore: hasMore,
                total: try Self.count(query, upTo: maximumTotal, db))
        }
    }

    /// The best images after the cursor.
    private static func ranked(_ query: SearchQuery, _ cursor: SearchCursor?, _ db: Database) throws -> [Hit] {
        let statement = try db.cachedStatement(
            sql: "SELECT rowid, \(rank) FROM word WHERE word MATCH ? ORDER BY rowid LIMIT ?")
        let rows = try Row.fetchCursor(
            statement, arguments: [MatchExpression(query).text, maximumRanked])
        var hits: [Hit] = []
        while let row = try rows.next() {
            let rank: Double = try row.decode(atIndex: 1)
            let hit = Hit(number: try row.decode(atIndex: 0), score: -rank)
            if cursor?.precedes(score: hit.score, number: hit.number) ?? true { hits.append(hit) }
        }
        return hits.sorted { ($1.score, $0.number) < ($0.score, $1.number) }
    }

    private static func newest(
        _ query: SearchQuery, _ limit: Int, _ cursor: SearchCursor?, _ db: Database
    ) throws -> [Hit] {
        let (sql, arguments) = matching(query, after: cursor?.number ?? .min)
        return try Int64.fetchAll(
            db.cachedStatement(sql: "\(sql) ORDER BY 1 LIMIT ?"), arguments: arguments + [limit]
        ).map { Hit(number: $0) }
    }

    private static func count(_ query: SearchQuery, upTo maximum: Int, _ db: Database) throws -> Int {
        let (sql, arguments) = matching(query, after: .min)
        let statement = try db.cachedStatement(sql: "SELECT count(*) FROM (\(sql) LIMIT ?)")
        return try Int.fetchOne(statement, arguments: arguments + [maximum]) ?? 0
    }

    /// The numbers of the matching images after a number.
    private static func matching(_ query: SearchQuery, after number: Int64) -> (String, StatementArguments) {
        let expression = MatchExpression(query)
        if let text = expression.text {
            return ("SELECT rowid FROM word WHERE word MATCH ? AND rowid > ?", [text, number])
        }
        guard let excluded = expression.excluded else { return ("SELECT number FROM image WHERE number > ?", [number]) }
        let sql = """
            SELECT number FROM image
            WHERE number > ? AND number NOT IN (SELECT rowid FROM word WHERE word MATCH ?)
            """
        return (sql, [number, excluded])
    }

    // MARK: Snippets

    private static func found(_ hit: Hit, _ query: SearchQuery, _ db: Database) throws -> Found {
        let statement = try db.cachedStatement(sql: "SELECT id, title, place, tags FROM image WHERE number = ?")
        guard let row = try Row.fetchOne(statement, arguments: [hit.number]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the words of an image without texts")
        }
        let image = try SearchableImage(row: row)
        let terms = query.required.filter { $0.field == .text || $0.field == .place }
        let own = [image.title, image.place, image.tags.map { "#\($0)" }.joined(separator: " ")]
        var snippet = Snippet(of: own, for: terms)
        if !snippet.hasAll {
            let messages = try String.fetchAll(
                db.cachedStatement(sql: "SELECT message FROM comment WHERE image = ? LIMIT ?"),
                arguments: [hit.number, snippetComments])
            snippet = Snippet(of: own + messages, for: terms)
        }
        return Found(
            id: image.id, cursor: SearchCursor(score: hit.score, number: hit.number), snippet: snippet)
    }

    // MARK: Suggestions

    struct Suggested: Sendable, Equatable {
        let text: String
        let images: Int
    }

    /// The most frequent terms of a kind with a word that begins with `prefix`.
    func suggestions(_ prefix: String, _ kind: IndexTerm.Kind, _ limit: Int) async throws -> [Suggested] {
        let start = Words.indexed(prefix)
        return try await pool.read { db in
            let rows: RowCursor
            if start.isEmpty {
                // A prefix without words begins no term.
                guard prefix.allSatisfy(\.isWhitespace) else { return [] }
                rows = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: "SELECT text, images FROM term WHERE kind = ? ORDER BY images DESC, key LIMIT ?"),
                    arguments: [kind.rawValue, limit])
            } else {
                rows = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT text, images FROM term_start JOIN term ON term.number = term
                            WHERE term_start.kind = ? AND start >= ? AND start < ?
                            GROUP BY term.number ORDER BY images DESC, key LIMIT ?
                            """),
                    arguments: [kind.rawValue, start, start + "\u{10FFFF}", limit])
            }
            return try Array(rows.map { Suggested(text: try $0.decode(atIndex: 0), images: try $0.decode(atIndex: 1)) })
        }
    }
}
