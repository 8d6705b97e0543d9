import Search
import Testing

/// What readers type, and what it means.
@Suite struct SearchQueryTests {
    /// The terms as text: field, words, `*` for a prefix.
    private func terms(_ terms: [SearchTerm]) -> [String] {
        terms.map { "\($0.field):\($0.words.joined(separator: " "))\($0.isPrefix ? "*" : "")" }
    }

    @Test(
        "words, phrases and operators",
        arguments: [
            ("chick", ["text:chick*"], []), ("chick ", ["text:chick"], []), ("a chick", ["text:a", "text:chick*"], []),
            ("lis* x", ["text:lis*", "text:x"], []), ("l", ["text:l"], []), ("l*", ["text:l"], []),
            ("\"golden hour\"", ["text:golden hour"], []), ("\"golden hou\"*", ["text:golden hou*"], []),
            ("\"open", ["text:open"], []), ("“quoted text”", ["text:quoted text"], []),
            ("dog -cat", ["text:dog"], ["text:cat"]), ("-\"black cat\"", [], ["text:black cat"]),
            ("tag:Sea", ["tag:sea"], []), ("TAG:\"Golden Hour\"", ["tag:golden hour"], []),
            ("-tag:sea", [], ["tag:sea"]),
            ("place:lis", ["place:lis*"], []), ("from:Ana", ["author:ana*"], []),
            ("from:\"Ana M\"", ["author:ana m"], []),
            ("tag：海", ["tag:海"], []), ("don't", ["text:don t"], []), ("日本", ["text:日本"], []),
            ("สวัสด", ["text:สวัส วัสด*"], []),
            ("สวัสด ", ["text:สวัส วัสด"], []), ("-東京tower ", [], ["text:東京", "text:tower"]),
            ("“a \"b\"” ", ["text:a b"], []), ("tag:«a \"b\"» ", ["tag:a \"b\""], []),
            ("tag:\"c*\"", ["tag:c*"], []),
            ("東京タワー", ["text:東京タ 京タワ タワー"], []), ("東京tower ", ["text:東京", "text:tower"], []),
        ] as [(String, [String], [String])])
    func meaning(text: String, required: [String], excluded: [String]) {
        let query = SearchQuery(text)
        #expect(terms(query.required) == required)
        #expect(terms(query.excluded.flatMap(\.self)) == excluded)
    }

    @Test(
        "what is not an operator is a word",
        arguments: [
            ("tag:", ["text:tag*"]), ("tag: sea", ["text:tag", "text:sea*"]), ("- x", ["text:x"]),
            ("a-b", ["text:a b"]),
            ("mytag:sea ", ["text:mytag sea"]), ("http://x.y ", ["text:http x y"]),
            ("NOT cat ", ["text:not", "text:cat"]),
            ("a AND (b OR c) ", ["text:a", "text:and", "text:b", "text:or", "text:c"]), ("--x ", ["text:x"]),
        ])
    func words(text: String, required: [String]) {
        #expect(
            terms(SearchQuery(text).required) == required
                || terms(SearchQuery(text).excluded.flatMap(\.self)) == required)
    }

    @Test(
        "an empty query is every image, and one without words is none",
        arguments: [("", true, false), (" \n", true, false), ("???", false, true), ("\"\"", false, true)])
    func emptiness(text: String, isEverything: Bool, isUnsearchable: Bool) {
        let query = SearchQuery(text)
        #expect((query.required.isEmpty && query.excluded.isEmpty && !query.isUnsearchable) == isEverything)
        #expect(query.isUnsearchable == isUnsearchable)
    }

    @Test("tags of the call are required, without case and width")
    func tags() {
        let query = SearchQuery("dog", tags: ["Ｓea", " "])
        #expect(terms(query.required) == ["tag:sea", "text:dog*"])
    }

    @Test("a query has at most 32 terms", arguments: [31, 32, 33, 1_000])
    func manyWords(count: Int) {
        let query = SearchQuery(Array(repeating: "word", count: count).joined(separator: " "))
        #expect(query.required.count == min(count, SearchQuery.maximumTerms))
    }

    @Test("a phrase has at most 32 words", arguments: [32, 33])
    func longPhrase(count: Int) {
        let query = SearchQuery("\"" + Array(repeating: "word", count: count).joined(separator: " ") + "\"")
        #expect(query.required.map(\.words.count) == [32])
    }

    @Test("a query is read up to 10,000 characters", arguments: [9_999, 10_000])
    func longQuery(before: Int) {
        let query = SearchQuery(String(repeating: " ", count: before) + "x")
        #expect(query.required.isEmpty == (before == 10_000))
    }
}
