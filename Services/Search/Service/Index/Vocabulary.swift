import GRDB

/// The words with their numbers of images, for the relevance of a word and for the words that a prefix stands for.
///
/// Only the words of some images are in its table: writing those of all would take as long as all other tables. The numbers of
/// frequent words are estimated by it, those of rare words are counted.
struct Vocabulary {
    let db: Database

    struct Entry {
        let word: String

        /// An estimate.
        let images: Int
    }

    /// The table has the words of one image in this number.
    static let sampling = 16

    /// Whether the table has the words of an image.
    static func samples(_ number: Int64) -> Bool { number % Int64(sampling) == 0 }

    /// Up to this number images are counted, above it they are estimated.
    static let maximumCounted = 1_000

    /// Not a word: its entry counts the images of the sample.
    private static let anyImage = ""

    /// About how many images there are.
    func images() throws -> Int {
        let estimate = try estimate(of: Self.anyImage)
        guard estimate <= Self.maximumCounted else { return estimate }
        return try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM image")) ?? 0
    }

    /// About how many images match a phrase.
    /// - Parameters:
    ///   - expression: matches the same images.
    ///   - estimate: how many there are at most, by the sample.
    func images(matching expression: String, estimate: Int) throws -> Int {
        guard estimate <= Self.maximumCounted else { return estimate }
        return try Int.fetchOne(
            db.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)"),
            arguments: [expression, Self.maximumCounted]) ?? 0
    }

    /// How many images have a word, by the sample.
    func estimate(of word: String) throws -> Int {
        let statement = try db.cachedStatement(sql: "SELECT images FROM vocabulary WHERE word = ?")
        return try (Int.fetchOne(statement, arguments: [word]) ?? 0) * Self.sampling
    }

    /// The words of the sample that begin with a prefix.
    struct Expansion {
        /// The most frequent words.
        let words: [Entry]

        /// How often an image has one of all these words, which are not only those of `words`. An estimate.
        let total: Int
    }

    func expansion(of prefix: String, _ limit: Int) throws -> Expansion {
        let range: StatementArguments = [prefix, prefix + "\u{10FFFF}"]
        let total = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT sum(images) FROM vocabulary WHERE word >= ? AND word < ?"), arguments: range
        )
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql:
                    "SELECT word, images FROM vocabulary WHERE word >= ? AND word < ? ORDER BY images DESC, word LIMIT ?"
            ),
            arguments: range + [limit])
        return Expansion(
            words: try Array(
                rows.map {
                    Entry(word: try $0.decode(atIndex: 0), images: try $0.decode(atIndex: 1) * Self.sampling)
                }),
            total: (total ?? 0) * Self.sampling)
    }

    /// The words of an image in the table, each once.
    static func words(of words: EntryWords) -> Set<Substring> {
        let columns = [words.title, words.tags, words.place, words.comments, words.authors]
        return columns.reduce(into: [Substring(anyImage)]) { words, column in
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
