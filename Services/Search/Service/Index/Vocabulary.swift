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

        static func == (one: Word, other: Word) -> Bool {
            let isEqual = one.text.utf8.withContiguousStorageIfAvailable { one in
                other.text.utf8.withContiguousStorageIfAvailable { other in
                    one.count == other.count && one.elementsEqual(other)
                }
            }
            return (isEqual ?? nil) ?? one.text.utf8.elementsEqual(other.text.utf8)
        }

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
    func add(_ changes: VocabularyChanges) throws {
        let add = try db.cachedStatement(
            sql: """
                INSERT INTO vocabulary (word, images) VALUES (?, ?)
                ON CONFLICT (word) DO UPDATE SET images = images + excluded.images
                """)
        let delete = try db.cachedStatement(sql: "DELETE FROM vocabulary WHERE word = ? AND images <= 0")
        for (word, change) in changes.images where change != 0 {
            try add.execute(arguments: [word, change])
            if change < 0 { try delete.execute(arguments: [word]) }
        }
    }
}

/// Changes of the words' numbers of images that are not written yet.
struct VocabularyChanges {
    private struct Change {
        var images = 0

        /// The last image that was counted: a word may occur in it several times.
        var lastImage = 0
    }

    private var changes: [Vocabulary.Word: Change] = [:]
    private var image = 0

    /// - Parameter columns: the words of one image, separated by spaces.
    mutating func add(_ change: Int, toWordsOf columns: [String]) {
        image += 1
        add(change, to: Vocabulary.Word(Vocabulary.everyImage[...]))
        for column in columns {
            for word in column.utf8.split(separator: UInt8(ascii: " ")) {
                add(change, to: Vocabulary.Word(Substring(word)))
            }
        }
    }

    private mutating func add(_ change: Int, to word: Vocabulary.Word) {
        let image = image
        func count(_ entry: inout Change) {
            guard entry.lastImage != image else { return }
            entry.lastImage = image
            entry.images += change
        }
        count(&changes[word, default: Change()])
    }

    var images: some Sequence<(word: String, change: Int)> {
        changes.lazy.map { (String($0.key.text), $0.value.images) }
    }
}
