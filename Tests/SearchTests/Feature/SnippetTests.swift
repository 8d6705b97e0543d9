import Search
import Testing

/// The part of a text that shows why an image was found.
@Suite struct SnippetTests {
    /// The snippet with hits in brackets.
    private func snippet(_ texts: [String], _ query: String) -> String {
        let terms = SearchQuery(query).required
        return Snippet(of: texts, for: terms).parts.map { $0.isHit ? "[\($0.text)]" : $0.text }.joined()
    }

    @Test(
        "hits are marked as they are written",
        arguments: [
            ("A chick in the sun", "chick", "A [chick] in the sun"), ("Chickens!", "chick", "[Chickens]!"),
            ("São João", "sao joao", "[São] [João]"), ("Straße", "strasse", "[Straße]"), ("東京タワー", "京タ", "東[京タ]ワー"),
            ("東京タワー", "東京タワー", "[東京タワー]"), ("the golden hour", "\"golden hour\"", "the [golden hour]"),
            ("golden, hour golden", "\"golden hour\"", "[golden, hour] golden"), ("a\nb", "b", "a [b]"),
            ("👍🏽 ok", "👍", "[👍🏽] ok"), ("nothing", "else", "nothing"), ("นี่สวัสดีครับ", "สวัสด", "นี่[สวัสดี]ครับ"),
            ("नमस्ते", "नमस", "[नमस्ते]"), ("a 👩\u{200D}👧\u{200D}👦 b", "👧", "a [👩\u{200D}👧\u{200D}👦] b"),
            ("น้ำตก", "น้ำ", "[น้ำ]ตก"), ("½ cup", "1/2", "[½] cup"), ("1/2 cup", "½", "[1/2] cup"),
        ])
    func hits(text: String, query: String, shown: String) {
        #expect(snippet([text], query) == shown)
    }

    @Test("the text with the most terms is shown, of several the first")
    func choice() {
        #expect(snippet(["a dog", "a dog and a cat", "cat dog"], "dog cat") == "a [dog] and a [cat]")
        #expect(snippet(["", "a dog"], "cat") == "a dog")
        #expect(snippet([], "cat") == "")
    }

    @Test("a long text is cut around the first hit, at words")
    func long() {
        let filler = Array(repeating: "filler", count: 100).joined(separator: " ")
        let shown = snippet(["\(filler) chick \(filler)"], "chick ")
        #expect(shown.hasPrefix("…filler filler filler filler filler [chick] filler"))
        #expect(shown.hasSuffix(" filler…"))
        #expect(shown.count < Snippet.length + 10)
    }

    @Test("a long text without spaces is cut anywhere")
    func longWithoutSpaces() {
        let shown = snippet([String(repeating: "海", count: 500) + "鳥" + String(repeating: "山", count: 500)], "鳥")
        #expect(shown.contains("[鳥]") && shown.hasPrefix("…海") && shown.hasSuffix("山…"))
        #expect(shown.count <= Snippet.length + 4)
    }

    @Test("only the beginning of a huge text is read", arguments: [(9_999, true), (10_000, false)])
    func huge(before: Int, isHit: Bool) {
        let text = String(repeating: " ", count: before) + "x"
        #expect(snippet([text], "x").contains("[x]") == isHit)
    }
}
