import Search
import Testing

/// Cursors of results.
@Suite struct SearchCursorTests {
    private let query = SearchQuery("chick", tags: ["sea"])

    @Test("a cursor reads its own text", arguments: [(0.0, Int64.min), (1.25, 0), (1e-6, 7), (12.5, .max)])
    func roundTrip(score: Double, number: Int64) {
        let cursor = SearchCursor(score: score, number: number)
        #expect(SearchCursor(cursor.text(for: query), for: query) == cursor)
    }

    @Test("another query refuses it")
    func otherQuery() {
        let text = SearchCursor(score: 1, number: 2).text(for: query)
        #expect(SearchCursor(text, for: SearchQuery("chick")) == nil)
    }

    @Test("an invalid text is refused", arguments: ["", ".", "..", "a.b", "a.b.c.d", "x", "🐤.1.2"])
    func invalid(text: String) {
        #expect(SearchCursor(text, for: query) == nil)
    }

    @Test("a number in another notation is refused")
    func notation() {
        let text = SearchCursor(score: 1, number: 2).text(for: query)
        #expect(SearchCursor(text.dropLast() + "+2", for: query) == nil)
        #expect(SearchCursor(text.uppercased() + "0", for: query) == nil)
    }
}
