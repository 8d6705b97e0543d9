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
