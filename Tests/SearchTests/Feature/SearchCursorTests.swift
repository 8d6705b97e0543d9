import Search
import Testing

/// Cursors of results.
@Suite struct SearchCursorTests {
    private let query = SearchQuery("chick", tags: ["sea"])

    private func cursor(_ place: SearchCursor.Place = .ranked(score: 1, number: 2)) -> SearchCursor {
        SearchCursor(place, oldestRanked: 7, prefixes: [.all])
    }

    @Test(
        "a cursor reads its own text",
        arguments: [
            (.ranked(score: 0, number: .min), 0), (.ranked(score: 1_012.5, number: 0), -7),
            (.ranked(score: 1e-6, number: .max), .max),
            (.newest(number: .min), nil), (.newest(number: 7), 7),
        ] as [(SearchCursor.Place, Int64?)],
        [.all, .words(ends: [""]), .words(ends: ["", "en", "εν", "鳥🐤"])] as [SearchCursor.Expansion])
    func roundTrip(at: (place: SearchCursor.Place, oldest: Int64?), prefix: SearchCursor.Expansion) {
        let cursor = SearchCursor(at.place, oldestRanked: at.oldest, prefixes: [prefix])
        #expect(SearchCursor(cursor.text(for: query), for: query) == cursor)
    }

    @Test("it has what each prefix of the query stands for", arguments: [0, 1, 2, 3])
    func prefixes(count: Int) {
        let query = SearchQuery((0..<count).map { "chick\($0)*" }.joined(separator: " -") + " ")
        let cursor = SearchCursor(
            .newest(number: 1), oldestRanked: nil, prefixes: (0..<count).map { .words(ends: ["", "\($0)"]) })
        #expect(query.prefixCount == count)
        #expect(SearchCursor(cursor.text(for: query), for: query) == cursor)
        var other = cursor
        other = SearchCursor(.newest(number: 1), oldestRanked: nil, prefixes: cursor.prefixes + [.all])
        #expect(SearchCursor(other.text(for: query), for: query) == nil)
    }

    @Test("another query refuses it")
    func otherQuery() {
        #expect(SearchCursor(cursor().text(for: query), for: SearchQuery("chick")) == nil)
    }

    @Test("an invalid text is refused", arguments: ["", ".", "..", "a.b", "a.b.c.d.e", "x", "🐤.1.2.3._"])
    func invalid(text: String) {
        #expect(SearchCursor(text, for: query) == nil)
    }

    @Test("a number in another notation is refused")
    func notation() {
        let text = cursor().text(for: query)
        #expect(SearchCursor(text.uppercased(), for: query) == nil)
        #expect(SearchCursor(text.replacing(".2.", with: ".+2."), for: query) == nil)
    }
}
