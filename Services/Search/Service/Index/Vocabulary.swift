import GRDB
import Search

/// The words with their numbers of images, for the words that a prefix stands for.
///
/// Only the words of some images are in its table: writing those of all would take as long as all other tables.
struct Vocabulary {
    let db: Database

    /// The table has the words of one image in this number.
    static let sampling = 16

    /// Whether the table has the words of an image.
    static func samples(_ number: Int64) -> Bool { number % Int64(sampling) == 0 }

    /// What a prefix stands for: all words that begin with it, or the most frequent ones and the prefix itself when images have all
    /// of them too often.
    func expansion(of prefix: String, _ limit: Int) throws -> SearchCursor.Expansion {
        let range: StatementArguments = [prefix, prefix + "\u{10FFFF}"]
        let total = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT sum(images) FROM vocabulary WHERE word >= ? AND word < ?"), arguments: range
        )
        if (total ?? 0) * Self.sampling <= MatchExpression.maximumSorted { return .all }
        let words = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT word FROM vocabulary WHERE word >= ? AND word < ? ORDER BY images DESC, word LIMIT ?"),
            arguments: range + [limit])
        let ends = words.filter { $0 != prefix }.map {
            String($0.unicodeScalars.dropFirst(prefix.unicodeScalars.count))
        }
        return .words(ends: [""] + ends)
    }

    /// The words of an image in the table, each once.
    static func words(of words: EntryWords) -> Set<Substring> {
        let columns = [words.title, words.tags, words.place, words.credit, words.comments, words.authors]
        return columns.reduce(into: []) { words, column in
            words.formUnion(column.utf8.split(separator: UInt8(ascii: " ")).map(Substring.init))
        }
    }

    /// Adds changes of the numbers of images of the sample. A word without images is deleted.
    func add(_ changes: [Substring: Int]) throws {
        let add = try db.cachedStatement(
            sql: """
                INSERT INTO vocabulary (word, images) VALUES (?, ?)
                ON CONFLICT (word) DO UPDATE SET images = images + excluded.images
                """)
        let delete = try db.cachedStatement(sql: "DELETE FROM vocabulary WHERE word = ? AND images <= 0")
        for (word, change) in changes where change != 0 {
            try add.execute(arguments: [String(word), change])
            if change < 0 { try delete.execute(arguments: [String(word)]) }
        }
    }
}
