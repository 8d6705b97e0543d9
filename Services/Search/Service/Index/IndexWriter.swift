import Foundation
import GRDB
import Search

/// Changes images, comments, words and terms together, within one transaction, before whose end `finish` must be called.
final class IndexWriter {
    let db: Database

    /// The changes of the numbers of images of terms and words, which are written together: most images share them with others.
    private var terms: [IndexTerm: Int] = [:]
    private var vocabulary: [Substring: Int] = [:]

    init(_ db: Database) { self.db = db }

    // MARK: Reading

    func number(of id: UUID) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM image WHERE id = ?"), arguments: [id])
    }

    func entry(_ number: Int64) throws -> IndexEntry? {
        let statement = try db.cachedStatement(sql: "SELECT id, title, place, tags, credit FROM image WHERE number = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
        let comments = try db.cachedStatement(
            sql: "SELECT id, author, message FROM comment WHERE image = ? ORDER BY id")
        return IndexEntry(
            try SearchableImage(row: row),
            try Array(
                Row.fetchCursor(comments, arguments: [number]).map { row in
                    SearchableComment(
                        id: try row.decode(atIndex: 0), author: try row.decode(atIndex: 1),
                        message: try row.decode(atIndex: 2))
                }))
    }

    /// The lowest number of an image above another; `Int64.max` when there is none.
    func number(after number: Int64) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT min(number) FROM image WHERE number > ?")
        return try Int64.fetchOne(statement, arguments: [number]) ?? .max
    }

    func lowestNumber() throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(number) FROM image"))
    }

    func highestNumber() throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(number) FROM image"))
    }

    // MARK: Images

    /// Adds an image, unless it is indexed already.
    /// - Parameter words: those of the entry, if they are known.
    /// - Returns: whether it was added.
    func add(
        _ entry: IndexEntry, _ words: EntryWords? = nil, at number: Int64, knowsComments: Bool
    ) throws -> Bool {
        let image = entry.image
        try db.cachedStatement(
            sql: """
                INSERT INTO image (number, id, title, place, tags, credit, knows_comments)
                VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
                """
        ).execute(arguments: [
            number, image.id, image.title, image.place, image.tagLines, image.credit, knowsComments,
        ])
        guard db.changesCount > 0 else { return false }
        for comment in entry.comments { try insert(comment, on: number) }
        try insert(words ?? EntryWords(entry), at: number)
        return true
    }

    /// Replaces the texts of an image that is indexed.
    func update(_ image: SearchableImage, at number: Int64) throws {
        guard let old = try entry(number), old.image != image else { return }
        try db.cachedStatement(sql: "UPDATE image SET title = ?, place = ?, tags = ?, credit = ? WHERE number = ?")
            .execute(arguments: [image.title, image.place, image.tagLines, image.credit, number])
        var new = old
        new.image = image
        try replace(old, by: new, at: number)
    }

    /// Gives an image another number.
    func move(_ number: Int64, to other: Int64) throws {
        let knowsComments = try db.cachedStatement(sql: "SELECT knows_comments FROM image WHERE number = ?")
        guard let old = try entry(number), let knows = try Bool.fetchOne(knowsComments, arguments: [number]) else {
            return
        }
        try remove(number)
        _ = try add(old, at: other, knowsComments: knows)
    }

    func remove(_ number: Int64) throws {
        guard let old = try entry(number) else { return }
        try delete(EntryWords(old), at: number)
        _ = try markFound(number)
        try db.cachedStatement(sql: "DELETE FROM comment WHERE image = ?").execute(arguments: [number])
        try db.cachedStatement(sql: "DELETE FROM image WHERE number = ?").execute(arguments: [number])
    }

    // MARK: The walk

    /// Begins a walk, which has found no image yet. In the order of the ids, which SQLite prefers, it would take ten times as long.
    func markAllUnfound() throws {
        try db.execute(sql: "INSERT OR IGNORE INTO unfound SELECT number FROM image ORDER BY number")
    }

    /// - Returns: whether the walk had not found the image before.
    func markFound(_ number: Int64) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM unfound WHERE number = ?").execute(arguments: [number])
        return db.changesCount > 0
    }

    /// Some of the images that the walk has not found.
    func unfound(_ limit: Int) throws -> [Int64] {
        try Int64.fetchAll(db.cachedStatement(sql: "SELECT number FROM unfound LIMIT ?"), arguments: [limit])
    }

    func forgetUnfound() throws { try db.execute(sql: "DELETE FROM unfound") }

    // MARK: Comments

    /// Changes the comments of an image. Its words are written once, however many comments change.
    /// - Parameter change: nil removes a comment.
    func change(_ changes: [UUID: SearchableComment?], on number: Int64) throws {
        guard let old = try entry(number) else { return }
        for (id, comment) in changes {
            try db.cachedStatement(sql: "DELETE FROM comment WHERE image = ? AND id = ?").execute(arguments: [
                number, id,
            ])
            if let comment { try insert(comment, on: number) }
        }
        var new = old
        new.change(changes)
        if new != old { try replace(old, by: new, at: number) }
    }

    func images(ofComment id: UUID) throws -> [Int64] {
        try Int64.fetchAll(db.cachedStatement(sql: "SELECT image FROM comment WHERE id = ?"), arguments: [id])
    }

    func setKnowsComments(_ number: Int64) throws {
        try db.cachedStatement(sql: "UPDATE image SET knows_comments = 1 WHERE number = ?").execute(arguments: [number])
    }

    private func insert(_ comment: SearchableComment, on number: Int64) throws {
        try db.cachedStatement(sql: "INSERT INTO comment (id, image, author, message) VALUES (?, ?, ?, ?)")
            .execute(arguments: [comment.id, number, comment.author, comment.message])
    }

    // MARK: Words and terms

    private func replace(_ old: IndexEntry, by new: IndexEntry, at number: Int64) throws {
        try delete(EntryWords(old), at: number)
        try insert(EntryWords(new), at: number)
    }

    private func insert(_ words: EntryWords, at number: Int64) throws {
        count(words, 1, at: number)
        try db.cachedStatement(
            sql: """
                INSERT INTO word (rowid, title, tags, place, credit, comments, authors, keys)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: words.arguments(number))
    }

    private func delete(_ words: EntryWords, at number: Int64) throws {
        count(words, -1, at: number)
        try db.cachedStatement(
            sql: """
                INSERT INTO word (word, rowid, title, tags, place, credit, comments, authors, keys)
                VALUES ('delete', ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: words.arguments(number))
    }

    private func count(_ words: EntryWords, _ change: Int, at number: Int64) {
        for term in words.terms { terms[term, default: 0] += change }
        guard Vocabulary.samples(number) else { return }
        for word in Vocabulary.words(of: words) { vocabulary[word, default: 0] += change }
    }

    /// Writes the numbers of images of terms and words. Those without images are deleted.
    func finish() throws {
        try Vocabulary(db: db).add(vocabulary)
        for (term, change) in terms where change != 0 { try add(change, to: term) }
        (vocabulary, terms) = ([:], [:])
    }

    private func add(_ change: Int, to term: IndexTerm) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO term (kind, key, text, images) VALUES (?, ?, ?, ?)
                ON CONFLICT (kind, key, text) DO UPDATE SET images = images + excluded.images
                RETURNING number, images
                """)
        let row = try Row.fetchOne(statement, arguments: [term.kind.rawValue, term.key, term.text, change])
        guard let row else { return }
        let (number, images): (Int64, Int) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
        if images <= 0 {
            try remove(number, of: term)
        } else if images == change {
            try addStarts(of: term, number)
        }
    }

    private func addStarts(of term: IndexTerm, _ number: Int64) throws {
        for start in term.starts {
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO term_start (kind, start, term) VALUES (?, ?, ?)")
                .execute(arguments: [term.kind.rawValue, start, number])
        }
    }

    private func remove(_ number: Int64, of term: IndexTerm) throws {
        for start in term.starts {
            try db.cachedStatement(sql: "DELETE FROM term_start WHERE kind = ? AND start = ? AND term = ?")
                .execute(arguments: [term.kind.rawValue, start, number])
        }
        try db.cachedStatement(sql: "DELETE FROM term WHERE number = ?").execute(arguments: [number])
    }
}

extension EntryWords {
    fileprivate func arguments(_ number: Int64) -> StatementArguments {
        [number, title, tags, place, credit, comments, authors, keys]
    }
}

extension SearchableImage {
    private static let tagSeparator = UInt8(ascii: "\n")

    /// - Parameter row: id, title, place, tags and credit.
    init(row: Row) throws {
        let tags: String = try row.decode(atIndex: 3)
        // By bytes: comparing characters takes the square of the number of their combining marks.
        let separated = tags.utf8.split(separator: Self.tagSeparator).map { String(Substring($0)) }
        self.init(
            id: try row.decode(atIndex: 0), title: try row.decode(atIndex: 1), place: try row.decode(atIndex: 2),
            tags: separated, credit: try row.decode(atIndex: 4))
    }

    /// A tag has no line breaks.
    fileprivate var tagLines: String { tags.joined(separator: "\n") }
}
