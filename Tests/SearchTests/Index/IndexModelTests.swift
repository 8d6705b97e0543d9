import Foundation
import GRDB
import RPCTestKit
import Search
import Testing

@testable import search_service

/// Random changes, compared with a model that matches texts one by one, and with an index that is built at once.
@Suite struct IndexModelTests {
    private struct Model {
        var images: [SearchableImage] = []
        var comments: [UUID: [SearchableComment]] = [:]

        private func words(_ image: SearchableImage) -> Set<Substring> {
            let texts = [image.title, image.place] + image.tags + (comments[image.id] ?? []).map(\.message)
            return Set(texts.flatMap { Words.indexed($0).split(separator: " ") })
        }

        func find(_ word: String) -> Set<UUID> {
            Set(images.filter { words($0).contains { $0 == word } }.map(\.id))
        }

        func find(author: String) -> Set<UUID> {
            Set(images.filter { comments[$0.id]?.contains { $0.author == author } == true }.map(\.id))
        }

        func find(tag: String) -> Set<UUID> { Set(images.filter { $0.tags.contains(tag) }.map(\.id)) }
    }

    private static let vocabulary = ["sea", "sun", "fog", "são", "鳥", "🐤", "rain"]
    private static let authors = ["ana", "bo", "cy"]

    private func text(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.vocabulary.randomElement(using: &random)! }
            .joined(separator: " ")
    }

    @Test("the index finds what the model finds", arguments: 0..<ModelSeeds.count(usual: 8))
    func history(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        try await TestedIndex.with { tested in
            var model = Model()
            var lastID = 0
            var removed: [UUID] = []
            for _ in 0..<60 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0...3:
                    lastID += 1
                    let image = SearchableImage(
                        lastID, text(&random), place: text(&random),
                        tags: [Self.vocabulary.randomElement(using: &random)!])
                    try await tested.publish(image)
                    model.images.insert(image, at: 0)
                    model.comments[image.id] = []
                case 4...6:
                    guard let image = model.images.randomElement(using: &random) else { continue }
                    lastID += 1
                    // Ids of removed comments come back, also on other images.
                    let id = Bool.random(using: &random) ? removed.popLast() ?? UUID(lastID) : UUID(lastID)
                    let comment = SearchableComment(
                        id: id, author: Self.authors.randomElement(using: &random)!, message: text(&random))
                    try await tested.apply(.posted([.init(imageID: image.id, comment: comment)]))
                    model.comments[image.id]?.append(comment)
                case 7:
                    guard let image = model.images.randomElement(using: &random),
                        let comment = model.comments[image.id]?.randomElement(using: &random)
                    else { continue }
                    model.comments[image.id]?.removeAll { $0.id == comment.id }
                    guard let other = model.images.randomElement(using: &random), Bool.random(using: &random) else {
                        try await tested.apply(.removedComments([comment.id]))
                        removed.append(comment.id)
                        continue
                    }
                    try await tested.apply(
                        .removedComments([comment.id]), .posted([.init(imageID: other.id, comment: comment)]))
                    model.comments[other.id]?.append(comment)
                case 8:
                    guard let image = model.images.randomElement(using: &random) else { continue }
                    try await tested.apply(.removed([image.id]))
                    model.images.removeAll { $0.id == image.id }
                    model.comments[image.id] = nil
                default:
                    // A walk finds everything anew, with changed texts.
                    try await tested.apply(.feedReset)
                    if let index = model.images.indices.randomElement(using: &random) {
                        let old = model.images[index]
                        model.images[index] = SearchableImage(
                            id: old.id, title: text(&random), place: "", tags: old.tags)
                    }
                    try await tested.walk(model.images.map { ($0, model.comments[$0.id]) })
                }
            }
            for word in Self.vocabulary {
                let folded = Words.indexed(word)
                #expect(Set(try await tested.find("\"\(word)\"")) == model.find(folded), "\(word)")
                #expect(Set(try await tested.find("tag:\(word)")) == model.find(tag: word), "tag:\(word)")
            }
            for author in Self.authors {
                #expect(
                    Set(try await tested.find("from:\"\(author)\"")) == model.find(author: author), "from:\(author)")
            }
            try await TestedIndex.with { fresh in
                try await fresh.apply(.feedReset)
                try await fresh.walk(model.images.map { ($0, model.comments[$0.id] ?? []) })
                #expect(try await tested.words() == fresh.words())
                #expect(try await tested.terms() == fresh.terms())
            }
            try await tested.checkVocabulary()
        }
    }

    @Test("applying events again changes nothing")
    func repeated() async throws {
        try await TestedIndex.with { tested in
            let image = SearchableImage(1, "sea", tags: ["t"])
            let comment = IndexEvent.PostedComment(
                imageID: image.id, comment: SearchableComment(id: UUID(9), author: "ana", message: "sun"))
            for _ in 0..<2 { try await tested.apply(.published([image]), .posted([comment])) }
            #expect(try await tested.find("sun ") == [image.id])
            #expect(try await tested.terms().count == 2)
            for _ in 0..<2 { try await tested.apply(.removedComments([UUID(9)]), .removed([image.id])) }
            #expect(try await tested.words() == [:])
            #expect(try await tested.terms() == [:])
        }
    }

    @Test("an index that was replaced refuses the progress of the former one")
    func replaced() async throws {
        try await TestedIndex.with { tested in
            var foreign = tested.progress
            foreign.feedSeq = "other.1"
            await #expect(throws: IndexReplaced.self) { _ = try await tested.index.apply([], from: foreign) }
        }
    }

    @Test("an image that the feed sends twice has its last place", arguments: [true, false])
    func sentTwice(inOneTransaction: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            let images = [1, 2, 1, 3].map { (SearchableImage($0, "sea"), [SearchableComment]?.some([])) }
            let parts = inOneTransaction ? [images] : images.map { [$0] }
            for (place, part) in parts.enumerated() {
                try await tested.walk(part, isLast: place == parts.count - 1)
            }
            #expect(try await tested.find("") == [2, 1, 3].map { UUID($0) })
        }
    }

    @Test(
        "walks in any order, with images sent twice, leave each image once", arguments: 0..<ModelSeeds.count(usual: 8))
    func randomWalks(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        try await TestedIndex.with { tested in
            for _ in 0..<6 {
                try await tested.apply(.feedReset)
                let sent = (0..<Int.random(in: 1...25, using: &random)).map { _ in
                    Int.random(in: 1...20, using: &random)
                }
                let cut = Int.random(in: 0...sent.count, using: &random)
                try await tested.walk(sent[..<cut].map { (SearchableImage($0, "sea \($0)"), []) }, isLast: false)
                // Removed, and sent later.
                let later = sent[cut...].filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                try await tested.apply(.removed(later.map { UUID($0) }))
                try await tested.walk(sent[cut...].map { (SearchableImage($0, "sea \($0)"), []) })
                let found = try await tested.find("")
                #expect(found.count == Set(sent).count)
                #expect(Set(found) == Set(sent.map { UUID($0) }))
                for number in sent { #expect(try await tested.find("\"\(number)\"") == [UUID(number)]) }
            }
        }
    }

    @Test("comments are removed by their ids during the first walk, and after it", arguments: [false, true])
    func removedComments(isDuring: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            #expect(try await !tested.hasCommentIndex())
            let comment = SearchableComment(id: UUID(9), author: "ana", message: "sun")
            try await tested.walk([(SearchableImage(1, "sea"), [comment])], isLast: !isDuring)
            #expect(try await tested.hasCommentIndex() == !isDuring)
            try await tested.apply(.removedComments([UUID(9)]))
            #expect(try await tested.hasCommentIndex())
            #expect(try await tested.find("sun ") == [])
            #expect(try await tested.find("sea ") == [UUID(1)])
            // A later walk, which finds known images, does not omit it.
            try await tested.apply(.feedReset)
            #expect(try await tested.hasCommentIndex())
        }
    }

    @Test(
        "an image that the feed sends again between new ones keeps its place, and the others get numbers of their own")
    func sentAgain() async throws {
        try await TestedIndex.with { tested in
            func image(_ number: Int) -> (SearchableImage, [SearchableComment]?) {
                (SearchableImage(number, "sea"), [])
            }
            try await tested.apply(.feedReset)
            try await tested.walk((1...5).map(image))
            try await tested.apply(.removed([2, 3, 4].map { UUID($0) }), .feedReset)
            try await tested.walk([1, 90, 1, 91, 92, 5].map(image))
            #expect(Set(try await tested.find("")) == Set([1, 90, 91, 92, 5].map { UUID($0) }))
            #expect(try await tested.find("").last == UUID(5))
        }
    }

    @Test("the order of the feed does not depend on the image at which a walk stops", arguments: [false, true])
    func removedBetween(isPublishedAgain: Bool) async throws {
        try await TestedIndex.with { tested in
            func images(_ numbers: some Sequence<Int>) -> [(SearchableImage, [SearchableComment]?)] {
                numbers.map { (SearchableImage($0, "sea"), []) }
            }
            try await tested.apply(.feedReset)
            try await tested.walk(images(1...5))
            // A second walk stops at 4; 5 to 9 are new.
            try await tested.apply(.removed([UUID(5)]), .feedReset)
            try await tested.walk(images(1...4), isLast: false)
            try await tested.apply(.removed([UUID(4)]))
            if isPublishedAgain { try await tested.publish(SearchableImage(4, "sea")) }
            try await tested.walk(images(5...9))
            #expect(
                try await tested.find("")
                    == ((isPublishedAgain ? [4] : []) + [1, 2, 3, 5, 6, 7, 8, 9]).map { UUID($0) })
        }
    }

    @Test("spellings of a place that differ in their bytes only leave nothing behind")
    func normalForms() async throws {
        try await TestedIndex.with { tested in
            let composed = SearchableImage(1, "", place: "\u{C9}vora")
            let decomposed = SearchableImage(2, "", place: "E\u{301}vora")
            try await tested.publish(composed, decomposed)
            #expect(try await tested.index.suggestions("ev", .place, 10).map(\.images) == [2])
            try await tested.apply(.removed([composed.id]))
            #expect(try await tested.index.suggestions("ev", .place, 10).map(\.images) == [1])
            try await tested.apply(.removed([decomposed.id]))
            #expect(try await tested.index.suggestions("ev", .place, 10).map(\.images) == [])
        }
    }

    @Test("the journal is empty when all segments are merged, unless a reader needs it", arguments: [false, true])
    func journal(isNeeded: Bool) async throws {
        try await TestedIndex.with { tested in
            let pool = tested.index.pool
            func merge() async throws {
                var isFirst = true
                while try await tested.index.merge(isFirst: isFirst) { isFirst = false }
            }
            func journalSize() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int ?? 0
            }
            for number in 1...30 { try await tested.publish(SearchableImage(number, "sea \(number)")) }
            #expect(try journalSize() > 0)
            guard isNeeded else {
                try await merge()
                return #expect(try journalSize() == 0)
            }
            // The snapshot remains as it is, although the index changes.
            let snapshot = try pool.makeSnapshot()
            try await tested.publish(SearchableImage(31, "sea"))
            try await merge()
            #expect(try journalSize() > 0)
            #expect(try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM image") } == 30)
            #expect(try await tested.find("sea ").count == 31)
        }
    }

    @Test("the index of an earlier version is built again")
    func migrated() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/search.sqlite"
            let first = try DatabasePool(path: path)
            try IndexSchema.migrator.migrate(first, upTo: "1 the index")
            try await first.write { db in
                try db.execute(sql: "UPDATE progress SET feed_seq = 'a.1', walk = 1, walked = 1, walk_total = 2")
                try db.execute(
                    sql: "INSERT INTO image VALUES (7, ?, 'sea', '', '', 0, 1)", arguments: [UUID(1)])
                try db.execute(
                    sql: "INSERT INTO word (rowid, title, keys) VALUES (7, 'sea', '\u{E000}')")
                try db.execute(sql: "INSERT INTO vocabulary VALUES ('', 1), ('sea', 1)")
            }
            try IndexSchema.migrator.migrate(first)
            let index = SearchIndex(first)
            #expect(try index.progress() == IndexProgress())
            #expect(try index.count() == 0)
            let words = try await first.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM word WHERE word MATCH 'sea'")
            }
            #expect(words == 0)
        }
    }

    @Test("a walk over a part of a feed removes nothing")
    func partialWalk() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "sea"))
            try await tested.apply(.feedReset)
            try await tested.walk([(SearchableImage(2, "sea"), [])], isWhole: false)
            #expect(try await tested.find("sea ").count == 2)
        }
    }

    @Test("images that a later walk finds first are newer than those that are known")
    func missedImages() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "sea"))
            try await tested.apply(.feedReset)
            try await tested.walk([3, 2, 1].map { (SearchableImage($0, "sea"), []) })
            try await tested.publish(SearchableImage(4, "sea"))
            #expect(try await tested.find("") == [4, 3, 2, 1].map { UUID($0) })
        }
    }
}

/// Resets in the middle of a walk, and images that come back.
@Suite struct IndexOrderTests {
    private func image(_ number: Int) -> SearchableImage { SearchableImage(number, "sea") }

    @Test("a reset during the first walk leaves the order of the feed", arguments: 0...10)
    func interrupted(read: Int) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            if read > 0 { try await tested.walk((1...read).map { (image($0), []) }, isLast: false) }
            try await tested.apply(.feedReset)
            try await tested.publish(image(11))
            for part in [1...3, 4...10] {
                try await tested.walk(
                    (part.lowerBound == 1 ? [(image(11), [])] : []) + part.map { (image($0), []) },
                    isLast: part.upperBound == 10)
            }
            #expect(try await tested.find("") == ([11] + Array(1...10)).map { UUID($0) })
        }
    }

    @Test("an image that was published after a reset is newer than those that the walk has missed")
    func publishedBeforeWalk() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(image(1))
            try await tested.apply(.feedReset)
            try await tested.publish(image(4))
            try await tested.walk([4, 3, 2, 1].map { (image($0), []) })
            #expect(try await tested.find("") == [4, 3, 2, 1].map { UUID($0) })
        }
    }

    @Test(
        "an image that was published again has its new place after a walk",
        arguments: [
            [4, 0, 1, 2, 3, 5], [5, 9, 0, 1, 2, 3, 4], [5, 4, 3, 2, 1, 0], [1, 0, 2, 3, 4, 5], [9, 8, 5, 7, 0],
        ])
    func publishedAgain(order: [Int]) async throws {
        try await TestedIndex.with { tested in
            for number in (0...5).reversed() { try await tested.publish(image(number)) }
            try await tested.comment(image(4), "sun")
            try await tested.apply(.feedReset)
            try await tested.walk(order.map { (image($0), []) })
            #expect(try await tested.find("").first == UUID(order[0]))
            #expect(Set(try await tested.find("")) == Set(order.map { UUID($0) }))
            if order.count < 7, order != [1, 0, 2, 3, 4, 5], order != [9, 8, 5, 7, 0] {
                #expect(try await tested.find("") == order.map { UUID($0) })
            }
            #expect(try await tested.find("sun ") == (order.contains(4) ? [UUID(4)] : []))
        }
    }

    @Test(
        "the longest ascent leaves out the fewest numbers",
        arguments: [
            ([], []), ([3], [0]), ([1, 2, 3], [0, 1, 2]), ([9, 1, 2, 3], [1, 2, 3]), ([1, 9, 2, 3], [0, 2, 3]),
            ([2, 2], [0]), ([3, 2, 1], [2]),
        ] as [([Int64], Set<Int>)])
    func ascent(numbers: [Int64], places: Set<Int>) {
        let found = LongestAscent.places(in: numbers)
        #expect(found.count == places.count)
        #expect(numbers == [2, 2] || found == places)
    }
}

extension TestedIndex {
    /// Every word with the number of images that have it, by column.
    fileprivate func words() async throws -> [String: Int] {
        try await index.pool.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, word, col)")
            let rows = try Row.fetchAll(db, sql: "SELECT term, col, doc FROM temp.vocabulary")
            return Dictionary(
                uniqueKeysWithValues: rows.map { ("\($0["col"] as String) \($0["term"] as String)", $0["doc"]) })
        }
    }

    fileprivate func hasCommentIndex() async throws -> Bool {
        try await index.pool.read { try $0.indexes(on: "comment").contains { $0.name == "comment_by_id" } }
    }

    /// The vocabulary has the words of the images of the sample.
    fileprivate func checkVocabulary() async throws {
        let (found, expected) = try await index.pool.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT word, images FROM vocabulary")
            var expected: [String: Int] = [:]
            let numbers = try Int64.fetchAll(
                db, sql: "SELECT number FROM image WHERE number % ? = 0", arguments: [Vocabulary.sampling])
            for number in numbers {
                guard let entry = try IndexWriter(db).entry(number) else { continue }
                for word in Vocabulary.words(of: EntryWords(entry)) {
                    expected[String(word), default: 0] += 1
                }
            }
            return (
                Dictionary(uniqueKeysWithValues: rows.map { ($0["word"] as String, $0["images"] as Int) }), expected
            )
        }
        #expect(found == expected)
    }

    fileprivate func terms() async throws -> [String: Int] {
        try await index.pool.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT kind, key, sum(images) AS images FROM term GROUP BY kind, key")
            return Dictionary(
                uniqueKeysWithValues: rows.map { ("\($0["kind"] as Int) \($0["key"] as String)", $0["images"]) })
        }
    }
}
