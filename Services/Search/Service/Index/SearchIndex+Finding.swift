import Foundation
import GRDB
import Search

extension SearchIndex {
    /// When more images match, only the newest of them are ranked, and the others follow, newest first: ranking a word that half of
    /// the images have would take seconds.
    static let maximumRanked = 3_000

    /// The same for the pages behind the first: images that were published since then are ranked too. A cursor can claim any number.
    static let maximumRankedLater = 4 * maximumRanked

    /// How many comments of an image are read for its snippet, and how many scalars of them.
    static let snippetComments = 100
    static let snippetText = 10_000

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

        /// 0 for an image that is not ranked.
        var score: Double {
            guard case .ranked(let score, _) = cursor.place else { return 0 }
            return score
        }
    }

    /// A matching image.
    private struct Hit {
        let place: SearchCursor.Place
        var number: Int64 {
            switch place {
            case .ranked(_, let number), .newest(let number): number
            }
        }
    }

    /// - Parameter maximumTotal: where counting ends.
    func find(
        _ query: SearchQuery, _ limit: Int, after cursor: SearchCursor?, maximumTotal: Int
    ) async throws -> Page {
        guard !query.isUnsearchable else { return Page() }
        return try await pool.read { db in
            let expression = try MatchExpression(query, Vocabulary(db: db), prefixes: cursor?.prefixes)
            var oldest = cursor?.oldestRanked
            if query.isRanked, cursor == nil { oldest = try Self.oldestRanked(expression, db) }
            var hits = try oldest.map { try Self.ranked(expression, limit + 1, upTo: $0, cursor?.place, db) } ?? []
            if hits.count <= limit, oldest != nil || !query.isRanked {
                hits += try Self.newest(
                    expression, limit + 1 - hits.count, behind: oldest ?? .min, cursor?.place, db)
            }
            let hasMore = hits.count > limit
            hits = Array(hits.prefix(limit))
            return Page(
                images: try hits.map { hit in
                    let cursor = SearchCursor(hit.place, oldestRanked: oldest, prefixes: expression.prefixes)
                    return try Self.found(hit.number, cursor, query, db)
                }, hasMore: hasMore,
                total: try Self.count(expression, upTo: maximumTotal, db))
        }
    }

    /// The number of the oldest image to rank; nil when no image matches.
    private static func oldestRanked(_ expression: MatchExpression, _ db: Database) throws -> Int64? {
        let statement = try db.cachedStatement(
            sql: "SELECT max(rowid) FROM (SELECT rowid FROM word WHERE word MATCH ? ORDER BY rowid LIMIT ?)")
        return try Int64.fetchOne(statement, arguments: [expression.text, maximumRanked])
    }

    /// The best of the images up to the oldest that is ranked, after the cursor.
    private static func ranked(
        _ expression: MatchExpression, _ limit: Int, upTo oldest: Int64, _ place: SearchCursor.Place?, _ db: Database
    ) throws -> [Hit] {
        var (score, number) = (Double.infinity, Int64.min)
        switch place {
        case .newest: return []
        case .ranked(let lastScore, let lastNumber): (score, number) = (lastScore, lastNumber)
        case nil: break
        }
        let statement = try db.cachedStatement(
            sql: """
                SELECT number, score FROM (
                    SELECT rowid AS number, relevance(word, ?) AS score FROM word WHERE word MATCH ? AND rowid <= ?
                    ORDER BY rowid LIMIT ?
                )
                WHERE score < ? OR score = ? AND number > ?
                ORDER BY score DESC, number LIMIT ?
                """)
        let rows = try Row.fetchCursor(
            statement,
            arguments: [
                Relevance.argument(expression.phrases), expression.text, oldest, maximumRankedLater, score, score,
                number, limit,
            ])
        return try Array(
            rows.map { row in
                Hit(place: .ranked(score: try row.decode(atIndex: 1), number: try row.decode(atIndex: 0)))
            })
    }

    private static func newest(
        _ expression: MatchExpression, _ limit: Int, behind ranked: Int64, _ place: SearchCursor.Place?, _ db: Database
    ) throws -> [Hit] {
        let statement = try db.cachedStatement(
            sql: "SELECT rowid FROM word WHERE word MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?")
        var last = ranked
        if case .newest(let number) = place { last = max(last, number) }
        return try Int64.fetchAll(statement, arguments: [expression.text, last, limit])
            .map { Hit(place: .newest(number: $0)) }
    }

    private static func count(_ expression: MatchExpression, upTo maximum: Int, _ db: Database) throws -> Int {
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)")
        return try Int.fetchOne(statement, arguments: [expression.text, maximum]) ?? 0
    }

    // MARK: Snippets

    private static func found(
        _ number: Int64, _ cursor: SearchCursor, _ query: SearchQuery, _ db: Database
    ) throws -> Found {
        let statement = try db.cachedStatement(sql: "SELECT id, title, place, tags, credit FROM image WHERE number = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the words of an image without texts")
        }
        let image = try SearchableImage(row: row)
        var terms = query.required.filter { $0.field == .text }
        var own = [image.title, image.credit, image.place, image.tags.map { "#\($0)" }.joined(separator: " ")]
        // Without words, only those of the filtered text are hits.
        for (field, text) in [(SearchTerm.Field.place, image.place), (.credit, image.credit)] where terms.isEmpty {
            let filters = query.required.filter { $0.field == field }
            if !filters.isEmpty { (terms, own) = (filters, [text]) }
        }
        var snippet = Snippet(of: own, for: terms)
        if !snippet.hasAll {
            snippet = Snippet(of: try own + messages(of: number, db), for: terms)
        }
        return Found(id: image.id, cursor: cursor, snippet: snippet)
    }

    private static func messages(of number: Int64, _ db: Database) throws -> [String] {
        let statement = try db.cachedStatement(sql: "SELECT message FROM comment WHERE image = ? LIMIT ?")
        let rows = try String.fetchCursor(statement, arguments: [number, snippetComments])
        var (messages, length) = ([String](), 0)
        while length < snippetText, let message = try rows.next() {
            messages.append(message)
            length += message.unicodeScalars.count
        }
        return messages
    }

    // MARK: Suggestions

    struct Suggested: Sendable, Equatable {
        let text: String
        let images: Int
    }

    /// How many of the most frequent spellings are compared when there is no prefix.
    static let frequentSpellings = 200

    static let isFrequent = "kind = ?1 AND key IN (SELECT key FROM term WHERE kind = ?1 ORDER BY images DESC LIMIT ?2)"

    static let hasWord = "number IN (SELECT term FROM term_start WHERE kind = ?1 AND start >= ?2 AND start < ?3)"

    /// The most frequent terms of a kind with a word that begins with `prefix`, each in its most frequent spelling: SQLite takes
    /// `text` from the row with `max(images)`.
    func suggestions(_ prefix: String, _ kind: IndexTerm.Kind, _ limit: Int) async throws -> [Suggested] {
        let start = Words.folded(prefix)
        // A prefix without words begins no term.
        guard !start.isEmpty || prefix.allSatisfy(\.isWhitespace) else { return [] }
        let query = Self.suggestionQuery(start.isEmpty ? Self.isFrequent : Self.hasWord)
        let arguments: StatementArguments =
            [kind.rawValue] + (start.isEmpty ? [Self.frequentSpellings] : [start, start + "\u{10FFFF}"]) + [limit]
        return try await pool.read { db in
            let statement = try db.cachedStatement(sql: query)
            return try Array(
                Row.fetchCursor(statement, arguments: arguments).map {
                    Suggested(text: try $0.decode(atIndex: 0), images: try $0.decode(atIndex: 1))
                })
        }
    }

    static func suggestionQuery(_ condition: String) -> String {
        """
        SELECT text, sum(images) AS total, max(images) FROM term WHERE \(condition)
        GROUP BY key ORDER BY total DESC, key LIMIT ?
        """
    }
}
