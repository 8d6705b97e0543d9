import Foundation
import GRDB
import Search

/// Changes images, comments, words and terms together, within one transaction, before whose end `finish` must be called.
final class IndexWriter {
    let db: Database

    /// The changes of the terms' numbers of images, which are written together: most images of a page share terms with others.
    private var terms: [IndexTerm: Int] = [:]

    /// The changes of the words' numbers of images.
    private var vocabulary = VocabularyChanges()

    init(_ db: Database) { self.db = db }

    // MARK: Reading

    func number(of id: UUID) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM image WHERE id = ?"), arguments: [id])
    }

    func entry(_ number: Int64) throws -> IndexEntry? {
        let statement = try db.cachedStatement(sql: "SELECT id, title, place, tags FROM image WHERE number = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]) else { return nil }
        let comments = try db.cachedStatement(
            sql: "SELECT id, author, message FROM comment WHERE image = ? ORDER BY id")
        return IndexEntry(
            number: number, image: try SearchableImage(row: row),
            comments: try Array(
                Row.fetchCursor(comments, arguments: [number]).map { row in
                    SearchableComment(
                        id: try row.decode(atIndex: 0), author: try row.decode(atIndex: 1),
                        message: try row.decode(atIndex: 2))
                }))
    }

    func hasImage(_ number: Int64) throws -> Bool {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM image WHERE number = ?"), arguments: [number]) != nil
    }

    func lowestNumber() throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(number) FROM image"))
    }

    // MARK: Images

    func add(_ entry: IndexEntry, generation: Int, knowsComments: Bool) throws {
        let image = entry.image
        try db.cachedStatement(
            sql: """
                INSERT INTO image (number, id, title, place, tags, generation, knows_comments)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            entry.number, image.id, image.title, image.place, image.tagLines, generation, knowsComments,
        ])
        for comment in entry.comments { try insert(comment, on: entry.number) }
        try insertWords(of: entry)
        count(entry.terms, 1)
    }

    /// Replaces the texts of an image that is indexed.
    func update(_ image: SearchableImage, at number: Int64) throws {
        guard let old = try entry(number), old.image != image else { return }
        try db.cachedStatement(sql: "UPDATE image SET title = ?, place = ?, tags = ? WHERE number = ?")
            .execute(arguments: [image.title, image.place, image.tagLines, number])
        var new = old
        new.image = image
        try replace(old, by: new)
    }

    /// Gives an image another number.
    func move(_ number: Int64, to other: Int64) throws {
        guard let old = try entry(number) else { return }
        let statement = try db.cachedStatement(sql: "SELECT generation, knows_comments FROM image WHERE number = ?")
        guard let row = try Row.fetchOne(statement, arguments: [number]) else { return }
        let (generation, knowsComments): (Int, Bool) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
        try remove(number)
        let entry = IndexEntry(number: other, image: old.image, comments: old.comments)
        try add(entry, generation: generation, knowsComments: knowsComments)
    }

    func touch(_ number: Int64, generation: Int) throws {
        try db.cachedStatement(sql: "UPDATE image SET generation = ? WHERE number = ?")
            .execute(arguments: [generation, number])
    }

    func remove(_ number: Int64) throws {
        guard let old = try entry(number) else { return }
        try deleteWords(of: old)
        count(old.terms, -1)
        try db.cachedStatement(sql: "DELETE FROM comment WHERE image = ?").execute(arguments: [number])
        try db.cachedStatement(sql: "DELETE FROM image WHERE number = ?").execute(arguments: [number])
    }

    // MARK: Comments

    /// Changes the comments of an image. Its words are written once, however many comments change.
    /// - Parameter change: nil removes a comment.
    func change(_ changes: [UUID: SearchableComment?], on number: Int64) throws {
        guard let old = try entry(number) else { return }
        var new = old
        new.comments.removeAll { changes.keys.contains($0.id) }
        for (id, comment) in changes {
            try db.cachedStatement(sql: "DELETE FROM comment WHERE image = ? AND id = ?").execute(arguments: [
                number, id,
            ])
            guard let comment else { continue }
            try insert(comment, on: number)
            new.comments.append(comment)
        }
        // The words are deleted later in the order in which they are read from the table.
        new.comments.sort { $0.id < $1.id }
        guard new.comments != old.comments else { return }
        try replace(old, by: new)
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

    private func replace(_ old: IndexEntry, by new: IndexEntry) throws {
        try deleteWords(of: old)
        try insertWords(of: new)
        let (former, current) = (old.terms, new.terms)
        count(former.subtracting(current), -1)
        count(current.subtracting(former), 1)
    }

    private func insertWords(of entry: IndexEntry) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO word (rowid, title, tags, place, comments, authors, keys) VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: arguments(entry, 1))
    }

    private func deleteWords(of entry: IndexEntry) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO word (word, rowid, title, tags, place, comments, authors, keys)
                VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: arguments(entry, -1))
    }

    /// The columns of `word`. Counts their words.
    private func arguments(_ entry: IndexEntry, _ change: Int) -> StatementArguments {
        let columns = entry.words
        vocabulary.add(change, toWordsOf: columns)
        return [entry.number] + StatementArguments(columns) + [entry.keys]
    }

    private func count(_ terms: Set<IndexTerm>, _ change: Int) {
        for term in terms { self.terms[term, default: 0] += change }
    }

    /// Writes the numbers of images of words and terms. Those without images are deleted.
    func finish() throws {
        try Vocabulary(db: db).add(vocabulary)
        vocabulary = VocabularyChanges()
        for (term, change) in terms where change != 0 {
            let find = try db.cachedStatement(
                sql: "SELECT number, images FROM term WHERE kind = ? AND key = ? AND text = ?")
            guard let row = try Row.fetchOne(find, arguments: [term.kind.rawValue, term.key, term.text]) else {
                if change > 0 { try add(term, images: change) }
                continue
            }
            let (number, images): (Int64, Int) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
            if images + change > 0 {
                try db.cachedStatement(sql: "UPDATE term SET images = ? WHERE number = ?")
                    .execute(arguments: [images + change, number])
            } else {
                try remove(number, of: term)
            }
        }
        terms = [:]
    }

    private func add(_ term: IndexTerm, images: Int) throws {
        try db.cachedStatement(sql: "INSERT INTO term (kind, key, text, images) VALUES (?, ?, ?, ?)")
            .execute(arguments: [term.kind.rawValue, term.key, term.text, images])
        let number = db.lastInsertedRowID
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

extension SearchableImage {
    fileprivate static let tagSeparator: Character = "\n"

    /// - Parameter row: id, title, place and tags.
    init(row: Row) throws {
        let tags: String = try row.decode(atIndex: 3)
        self.init(
            id: try row.decode(atIndex: 0), title: try row.decode(atIndex: 1), place: try row.decode(atIndex: 2),
            tags: tags.split(separator: Self.tagSeparator).map(String.init))
    }

    /// A tag has no line breaks.
    fileprivate var tagLines: String { tags.joined(separator: String(Self.tagSeparator)) }
}
