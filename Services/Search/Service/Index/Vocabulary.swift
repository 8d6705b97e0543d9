import GRDB

/// The words of all images, with the number of images that have each.
struct Vocabulary {
    let db: Database

    struct Entry {
        let word: String
        let images: Int
    }

    /// A folded word. Compared by its bytes, as SQLite does, because comparing texts takes several times as long.
    struct Word: Hashable {
        let text: Substring

        init(_ text: Substring) { self.text = text }

        /// - Parameter words: separated by spaces.
        static func all(in words: String) -> [Word] {
            words.utf8.split(separator: UInt8(ascii: " ")).map { Word(Substring($0)) }
        }

        static func == (one: Word, other: Word) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

        func hash(into hasher: inout Hasher) {
            let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
                hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        }
    }

    /// Not a word: its entry counts all images.
    static let everyImage = ""

    func images(with word: String) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT images FROM vocabulary WHERE word = ?"), arguments: [word]) ?? 0
    }

    /// The words that begin with a prefix.
    struct Expansion {
        /// The most frequent words.
        let words: [Entry]

        /// How often an image has one of all these words, which are not only those of `words`.
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
                rows.map { Entry(word: try $0.decode(atIndex: 0), images: try $0.decode(atIndex: 1)) }),
            total: total ?? 0)
    }

    /// Adds changes of the numbers of images. A word without images is deleted.
    func add(_ changes: [Word: Int]) throws {
        let add = try db.cachedStatement(
            sql: """
                INSERT INTO vocabulary (word, images) VALUES (?, ?)
                ON CONFLICT (word) DO UPDATE SET images = images + excluded.images
                """)
        let delete = try db.cachedStatement(sql: "DELETE FROM vocabulary WHERE word = ? AND images <= 0")
        for (word, change) in changes where change != 0 {
            let word = String(word.text)
            try add.execute(arguments: [word, change])
            if change < 0 { try delete.execute(arguments: [word]) }
        }
    }
}
