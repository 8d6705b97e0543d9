import Foundation
import GRDB
import RPCTestKit
import Search
import Testing

@testable import search_service

/// What readers find.
@Suite struct FindingTests {
    private let chick = SearchableImage(1, "A yellow chick", place: "Porto, Portugal", tags: ["Bird", "golden hour"])
    private let lisbon = SearchableImage(
        2, "Tram in the rain", place: "Lisbon, Portugal", tags: ["tram"], credit: "Inês Silva")
    private let tokyo = SearchableImage(3, "東京タワー 🗼", place: "Tokyo, Japan", tags: ["C++", "海"])

    private func withImages(_ body: (TestedIndex) async throws -> Void) async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(chick, lisbon, tokyo)
            try await tested.comment(chick, "Que linda galinha!", by: "José Maria")
            try await tested.comment(lisbon, "It rains and rains", by: "maria")
            try await body(tested)
        }
    }

    @Test(
        "words, phrases, prefixes and filters",
        arguments: [
            ("chick", [1]), ("chi", [1]), ("hick", []), ("galinha", [1]), ("portugal", [1, 2]), ("portugal -tram", [1]),
            ("\"yellow chick\"", [1]), ("\"chick yellow\"", []), ("chick yellow ", [1]), ("chi ", []),
            ("tag:bird", [1]),
            ("tag:BIRD", [1]), ("tag:bir", []), ("tag:\"Golden Hour\"", [1]), ("tag:golden", []), ("tag:c++", [3]),
            ("tag:c", []), ("tag:海", [3]), ("place:lis", [2]), ("place:\"lisbon portugal\"", [2]), ("place:rain", []),
            ("from:jose", [1]), ("from:\"José Maria\"", [1]), ("from:maria", [1, 2]), ("from:\"maria maria\"", []),
            ("from:galinha", []), ("from:silva", []), ("by:silva", [2]), ("by:ine", [2]), ("by:\"ines silva\"", [2]),
            ("by:maria", []), ("by:tram", []), ("silva ", [2]), ("-by:silva ", [1, 3]), ("maria ", []), ("東", [3]),
            ("京タ", [3]), ("東京タワー", [3]), ("東タ", []), ("🗼", [3]),
            ("-portugal", [3]), ("-portugal -東京", []), ("", [1, 2, 3]), ("???", []), ("golden bird", [1]),
            ("-???", [1, 2, 3]), ("-東京portugal", [1, 2, 3]), ("\"bird golden\"", []), ("\"rains rains\"", []),
        ])
    func queries(query: String, found: [Int]) async throws {
        try await withImages { tested in
            let ids = try await tested.find(query)
            #expect(Set(ids) == Set(found.map { UUID($0) }))
        }
    }

    @Test("no phrase matches the end of a comment and the beginning of another")
    func separateComments() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(lisbon)
            for number in 1...8 { try await tested.comment(lisbon, "sea sun", id: UUID(number)) }
            #expect(try await tested.find("\"sun sea\"") == [])
            #expect(try await tested.find("\"sea sun\"") == [lisbon.id])
        }
    }

    @Test("tags are separated by line feeds alone, whatever characters these are a part of")
    func separateTags() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "One", tags: ["sea\r", "sun"]))
            #expect(try await tested.find("tag:sun") == [UUID(1)])
            // The words of the tags are deleted as they are read.
            try await tested.publish(SearchableImage(1, "One"))
            #expect(try await tested.find("tag:sun") == [])
        }
    }

    @Test("a comment's id can be that of another image's comment")
    func sharedIDs() async throws {
        try await TestedIndex.with { tested in
            try await tested.walk([
                (chick, [SearchableComment(id: UUID(9), author: "ana", message: "sea")]),
                (lisbon, [SearchableComment(id: UUID(9), author: "ana", message: "sun")]),
            ])
            #expect(try await tested.find("sea ") == [chick.id])
            #expect(try await tested.find("sun ") == [lisbon.id])
            try await tested.apply(
                .removedComments([UUID(9)]),
                .posted([
                    .init(imageID: tokyo.id, comment: SearchableComment(id: UUID(9), author: "ana", message: "sky")),
                    .init(imageID: lisbon.id, comment: SearchableComment(id: UUID(9), author: "ana", message: "fog")),
                ]))
            #expect(try await tested.find("from:ana") == [lisbon.id])
            #expect(try await tested.find("fog ") == [lisbon.id])
            #expect(try await tested.find("sea ") + tested.find("sun ") == [])
        }
    }

    /// The largest number of images with one word each which the vocabulary counts as at most `maximumSorted`.
    private static let sortedPlaces = MatchExpression.maximumSorted / Vocabulary.sampling * Vocabulary.sampling

    @Test(
        "a prefix finds each of its words up to a number of places, and beyond it the most frequent words",
        arguments: [(sortedPlaces, true), (sortedPlaces + 1, false)])
    func frequentPrefix(places: Int, findsAll: Bool) async throws {
        try await TestedIndex.with { tested in
            // The last 600 words are on one image each, the first on all others.
            let images = (0..<places).map { SearchableImage($0 + 1, "sea\(max(0, $0 - (places - 600)))") }
            try await tested.walk(images.map { ($0, []) })
            let found = try await tested.index.find(SearchQuery("sea"), 1, after: nil, maximumTotal: places)
            #expect(found.total == (findsAll ? places : places - 600 + MatchExpression.maximumExpansion))
            // More prefixes than words that they may stand for.
            let query = SearchQuery(Array(repeating: "sea*", count: SearchQuery.maximumTerms).joined(separator: " "))
            let many = try await tested.index.find(query, 1, after: nil, maximumTotal: 1)
            #expect(many.total == 1)
        }
    }

    @Test(
        "of many images the newest are ranked",
        arguments: [(SearchIndex.maximumRanked, true), (SearchIndex.maximumRanked + 1, false)])
    func ranked(count: Int, isRanked: Bool) async throws {
        try await TestedIndex.with { tested in
            let images = (1...count).map { SearchableImage($0, $0 == count ? "sea sea" : "sea") }
            try await tested.walk(images.map { ($0, []) })
            let found = try await tested.index.find(SearchQuery("sea "), 1, after: nil, maximumTotal: 1)
            #expect(found.images.first?.id == UUID(isRanked ? count : 1))
            // The others follow, newest first.
            let all = try await tested.find("sea ")
            #expect(all.count == count && all.last == UUID(isRanked ? count - 1 : count))
        }
    }

    @Test(
        "of the images that a cursor claims to be ranked, the newest are ranked",
        arguments: [(SearchIndex.maximumRankedLater, true), (SearchIndex.maximumRankedLater + 1, false)])
    func claimed(count: Int, isRanked: Bool) async throws {
        try await TestedIndex.with { tested in
            let images = (1...count).map { SearchableImage($0, $0 == count ? "sea sea" : "sea") }
            try await tested.walk(images.map { ($0, []) })
            let query = SearchQuery("sea ")
            // Behind a result with a higher score than any.
            let cursor = SearchCursor(.ranked(score: 1e9, number: 0), oldestRanked: .max, prefixes: [])
            let found = try await tested.index.find(query, 1, after: cursor, maximumTotal: 1)
            #expect((found.images.first?.id == UUID(count)) == isRanked)
        }
    }

    @Test("whole words come before words that begin with them, wherever they are")
    func wholeWords() async throws {
        try await TestedIndex.with { tested in
            let (cathedral, place, said) = (
                SearchableImage(1, "Cathedral cathedrals", place: "Cathedral", tags: ["cathedral"]),
                SearchableImage(2, "A window", place: "Cat"), SearchableImage(3, "A door")
            )
            try await tested.publish(cathedral, said, place)
            try await tested.comment(said, "cat")
            #expect(try await tested.find("cat") == [place.id, cathedral.id, said.id])
        }
    }

    @Test("a frequent prefix finds the word itself, however rare it is")
    func frequentPrefixItself() async throws {
        try await TestedIndex.with { tested in
            let images = (0..<6_000).map { SearchableImage($0 + 2, "cathedral\($0 % 50)") }
            try await tested.walk(images.map { ($0, []) } + [(SearchableImage(1, "cat"), [])])
            #expect(try await tested.find("cat").first == UUID(1))
        }
    }

    @Test(
        "spellings that readers consider equal are equal",
        arguments: [
            ("كتاب", "کتاب"), ("علي", "علی"), ("مستشفى", "مستشفی"), ("مدرسة", "مدرسه"), ("أحمد", "احمد"),
            ("ٱلله", "الله"),
            ("١٢٣", "123"), ("۱۲۳", "123"), ("१२३", "123"), ("๑๒๓", "123"), ("１２３", "123"), ("it’s", "it's"),
            ("itʼs", "it's"), ("it‘s", "it's"), ("it＇s", "it's"), ("Hawaiʻi", "hawai'i"), ("🇧🇷", "🇧🇷"),
        ])
    func variants(written: String, searched: String) async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "a \(written) b"))
            #expect(try await tested.find(searched + " ") == [UUID(1)])
            try await tested.publish(SearchableImage(2, "a \(searched) b"))
            #expect(Set(try await tested.find(written + " ")) == [UUID(1), UUID(2)])
        }
    }

    @Test(
        "a flag is found where it is written, and not between two others",
        arguments: [
            ("🇧🇷", "🇬🇧🇷🇴", false), ("🇧🇷", "🇬🇧🇧🇷", true), ("🇧🇷", "a🇧🇷b", true), ("🇧🇷", "🇧🇷🇷", true), ("🇷", "🇧🇷", false),
            ("🇬🇧🇷🇴", "🇬🇧🇷🇴", true), ("🇬🇧", "🇬🇧🇷🇴", true), ("🇷🇴", "🇬🇧 🇷🇴", true),
            ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", true), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", false), ("🏴", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", false), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴", false),
        ])
    func flags(flag: String, text: String, isFound: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, text))
            #expect(try await tested.find(flag).isEmpty == !isFound)
        }
    }

    @Test(
        "while the index changes, no page repeats or misses an image that matches throughout",
        arguments: ["sea", "sea ", "s", "sun sea", "", "tag:t", "sea -x"], 0..<ModelSeeds.count(usual: 4))
    func steadyPages(query: String, seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let words = ["sea", "sun", "seal", "sand", "sea sea sea", "x"]
        func text() -> String {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                .joined(separator: " ")
        }
        try await TestedIndex.with { tested in
            var texts: [Int: String] = [:]
            func publish(_ number: Int) async throws {
                texts[number] = text()
                try await tested.publish(SearchableImage(number, texts[number] ?? "", tags: ["t"]))
            }
            for number in 0..<60 { try await publish(number) }
            let before = try await tested.find(query)
            var (found, removed, next): ([UUID], Set<UUID>, Int) = ([], [], 1_000)
            var cursor: SearchCursor?
            repeat {
                let page = try await tested.index.find(
                    SearchQuery(query), Int.random(in: 1...9, using: &random), after: cursor, maximumTotal: 1)
                found += page.images.map(\.id)
                cursor = page.hasMore ? page.images.last?.cursor : nil
                // Through its text, as a client keeps it.
                cursor = try cursor.map { cursor in
                    try #require(SearchCursor(cursor.text(for: SearchQuery(query)), for: SearchQuery(query)))
                }
                for _ in 0..<Int.random(in: 0...9, using: &random) {
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0, 1:
                        next += 1
                        try await publish(next)
                    case 2:
                        guard let number = texts.keys.sorted().randomElement(using: &random) else { continue }
                        texts[number] = nil
                        removed.insert(UUID(number))
                        try await tested.apply(.removed([UUID(number)]))
                    default:
                        guard let number = texts.keys.sorted().randomElement(using: &random) else { continue }
                        // Without the word that excludes images.
                        try await tested.comment(SearchableImage(number, ""), "sea sun sand")
                    }
                }
            } while cursor != nil
            #expect(Set(found).count == found.count)
            // A comment can make an image match that did not before.
            #expect(
                found.filter { before.contains($0) && !removed.contains($0) } == before.filter { !removed.contains($0) }
            )
        }
    }

    @Test("what a prefix stands for does not change between pages")
    func steadyPrefix() async throws {
        try await TestedIndex.with { tested in
            let images = (0..<6_000).map { SearchableImage($0, "sea\($0 % 41)") }
            try await tested.walk(images.map { ($0, []) })
            let query = SearchQuery("sea")
            let first = try await tested.index.find(query, 10, after: nil, maximumTotal: 1)
            let cursor = try #require(first.images.last?.cursor)
            guard case .words(let ends)? = cursor.prefixes.first else {
                Issue.record("all words")
                return
            }
            #expect(ends.count == MatchExpression.maximumExpansion + 1)
            let text = cursor.text(for: query)
            #expect(SearchCursor(text, for: query) == cursor)
            // Other words become the most frequent ones.
            for number in 0..<20 {
                try await tested.apply(.removed((0..<6_000).filter { $0 % 41 == number }.map { UUID($0) }))
            }
            let second = try await tested.index.find(query, 10, after: cursor, maximumTotal: 1)
            #expect(second.images.last?.cursor.prefixes == cursor.prefixes)
        }
    }

    @Test(
        "a snippet is looked for in a number of comments, and in a number of characters of them",
        arguments: [(99, 1, true), (100, 1, false), (9, 1_111, true), (10, 1_000, false)])
    func snippetOfComments(before: Int, length: Int, isFound: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(lisbon)
            for number in 1...before {
                try await tested.comment(lisbon, String(repeating: "a", count: length), id: UUID(number))
            }
            try await tested.comment(lisbon, "galinha", id: UUID(1_000))
            let found = try await tested.index.find(SearchQuery("galinha"), 1, after: nil, maximumTotal: 1)
            #expect(found.images.first?.snippet.parts.contains { $0.isHit } == isFound)
        }
    }

    @Test("images have all tags of the call")
    func tags() async throws {
        try await withImages { tested in
            let both = try await tested.find("", tags: ["bird", "Golden Hour"])
            #expect(both == [chick.id])
            let mixed = try await tested.find("", tags: ["bird", "tram"])
            #expect(mixed == [])
        }
    }

    @Test("a word in the title counts more than in comments, and newer images come first among equals")
    func ranking() async throws {
        try await TestedIndex.with { tested in
            let (old, new, said) = (SearchableImage(1, "sea"), SearchableImage(2, "sea"), SearchableImage(3, "land"))
            try await tested.publish(said)
            try await tested.publish(old)
            try await tested.publish(new)
            try await tested.comment(said, "sea")
            #expect(try await tested.find("sea ") == [new.id, old.id, said.id])
            #expect(try await tested.find("") == [new.id, old.id, said.id])
        }
    }

    @Test("pages neither repeat nor miss an image", arguments: ["", "sea", "sea -x7", "-x7", "tag:t"], [1, 3, 100])
    func pages(query: String, limit: Int) async throws {
        try await TestedIndex.with { tested in
            for number in 1...20 {
                try await tested.publish(
                    SearchableImage(number, "sea x\(number) " + (number % 3 == 0 ? "sea" : ""), tags: ["t"]))
            }
            let paged = try await tested.find(query, pages: limit)
            let whole = try await tested.find(query, pages: 1_000)
            #expect(paged == whole)
            #expect(Set(paged).count == paged.count)
            #expect(paged.count >= 19)
        }
    }

    @Test("the total is counted up to a limit", arguments: [(2, 2), (3, 3), (4, 3)])
    func total(limit: Int, total: Int) async throws {
        try await withImages { tested in
            let page = try await tested.index.find(SearchQuery(""), 1, after: nil, maximumTotal: limit)
            #expect(page.total == min(limit, total))
            #expect(page.hasMore)
        }
    }

    @Test(
        "of a filter for the place or the credit, only words of that text are hits",
        arguments: [
            ("place:lisbon", ["Lisbon", ", Portugal"]), ("by:silva", ["Inês ", "Silva"]),
        ])
    func snippetOfFilter(query: String, parts: [String]) async throws {
        try await withImages { tested in
            let page = try await tested.index.find(SearchQuery(query), 1, after: nil, maximumTotal: 1)
            #expect(page.images.first?.snippet.parts.map(\.text) == parts)
            #expect(page.images.first?.snippet.parts.filter(\.isHit).count == 1)
        }
    }

    @Test("the snippet is of the text that has the word")
    func snippet() async throws {
        try await withImages { tested in
            let page = try await tested.index.find(SearchQuery("galinha"), 1, after: nil, maximumTotal: 1)
            #expect(page.images.first?.snippet.parts.map(\.text) == ["Que linda ", "galinha", "!"])
        }
    }

    @Test(
        "suggestions begin with the prefix, in any word of a term",
        arguments: [
            ("b", IndexTerm.Kind.tag, ["Bird"]), ("HO", .tag, ["golden hour"]),
            ("por", .place, ["Lisbon, Portugal", "Porto, Portugal"]),
            ("ma", .person, ["José Maria", "maria"]), ("jose m", .person, ["José Maria"]), ("x", .tag, []),
            ("???", .tag, []),
        ] as [(String, IndexTerm.Kind, [String])])
    func suggestions(prefix: String, kind: IndexTerm.Kind, texts: [String]) async throws {
        try await withImages { tested in
            let found = try await tested.index.suggestions(prefix, kind, 8)
            #expect(found.map(\.text).sorted() == texts)
        }
    }

    @Test(
        "a prefix finds a term of a script without spaces in each of its first ten characters",
        arguments: [("東", true), ("東京", true), ("都市", true), ("前", true), ("後", false), ("東京後", false)])
    func denseSuggestions(prefix: String, isFound: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "", place: "京都市東京都庁a前b後"))
            let found = try await tested.index.suggestions(prefix, .place, 8)
            #expect(found.isEmpty == !isFound)
        }
    }

    @Test("a suggestion is written as in most images")
    func spellings() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "", place: "PORTO"))
            for number in 2...4 { try await tested.publish(SearchableImage(number, "", place: "Porto")) }
            #expect(try await tested.index.suggestions("por", .place, 8) == [.init(text: "Porto", images: 4)])
            #expect(try await tested.index.suggestions("", .place, 8) == [.init(text: "Porto", images: 4)])
            for number in 2...4 { try await tested.apply(.removed([UUID(number)])) }
            #expect(try await tested.index.suggestions("por", .place, 8) == [.init(text: "PORTO", images: 1)])
        }
    }

    @Test("suggestions are counted by images, the most frequent first; an empty prefix suggests them all")
    func suggestionCounts() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(
                SearchableImage(1, "", tags: ["a"]), SearchableImage(2, "", tags: ["B", "a"]),
                SearchableImage(3, "", tags: ["b", "A"]))
            #expect(try await tested.index.suggestions("", .tag, 1) == [.init(text: "a", images: 3)])
            try await tested.apply(.removed([UUID(1), UUID(3)]))
            let left = try await tested.index.suggestions("", .tag, 8)
            #expect(left.map(\.images) == [1, 1])
            try await tested.apply(.removed([UUID(2)]))
            #expect(try await tested.index.suggestions("", .tag, 8) == [])
        }
    }

    @Test("suggestions read no other terms than those that may be suggested", arguments: [true, false])
    func suggestionPlan(hasPrefix: Bool) async throws {
        try await TestedIndex.with { tested in
            let query = SearchIndex.suggestionQuery(hasPrefix ? SearchIndex.hasWord : SearchIndex.isFrequent)
            let arguments: StatementArguments = hasPrefix ? [0, "a", "b", 8] : [0, 200, 8]
            let plan = try tested.index.pool.read {
                try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN " + query, arguments: arguments)
            }
            #expect(!"\(plan)".contains("SCAN"))
            #expect(!"\(plan)".contains("autoindex_term_1 (kind=?)"))
            let range = hasPrefix ? "kind=? AND start>? AND start<?" : "INDEX term_by_images (kind=?)"
            #expect("\(plan)".contains(range))
        }
    }

    /// Characters that are syntax somewhere.
    private static let pieces = [
        "\"", "'", "*", "-", ":", "(", ")", "^", "{", "}", "+", "AND", "OR", "NOT", "NEAR(", "tag:", "place:", "from:",
        ";", "--", "/*",
        "DROP TABLE image", "\0", "\u{202E}", "\u{200F}", "e\u{301}", "東京", "👩‍👧", "\u{E000}", "\u{FFFD}", "%", "\\", " ",
        "word",
    ]

    @Test("no query is an error", arguments: 0..<ModelSeeds.count(usual: 10))
    func hostile(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let queries = (0..<40).map { _ in
            (0..<(Int.random(in: 0..<10, using: &random) == 0 ? 1_000 : Int.random(in: 1...12, using: &random))).map {
                _ in Self.pieces.randomElement(using: &random)!
            }
            .joined()
        }
        try await withImages { tested in
            for query in queries {
                _ = try await tested.find(query)
                _ = try await tested.index.suggestions(query, .tag, 8)
            }
        }
    }

    @Test("long queries are no error", arguments: ["a", "\"", "東", "-", "tag:", "word ", "🐤", "\0"])
    func long(piece: String) async throws {
        try await withImages { tested in _ = try await tested.find(String(repeating: piece, count: 10_000)) }
    }
}
