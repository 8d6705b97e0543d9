import EdgeModel
import FeedContract
import JSON
import Testing

/// The rules for the tags of a published item.
@Suite struct AuthoredTagsTests {
    private func read(_ tags: [String]) throws(JSONError) -> [String] {
        try RawJSON(tags, as: .array(of: .string)).read(as: FeedItem.authoredTags)
    }

    @Test func `an item has at most 20 tags`() throws {
        let tags = (1...21).map { "tag \($0)" }
        #expect(try read(Array(tags.prefix(20))) == Array(tags.prefix(20)))
        #expect(throws: JSONError.self) { try read(tags) }
        #expect(try read([]) == [])
    }

    @Test(arguments: ["x", "𝄞", "é"]) func `a tag has at most 50 characters`(character: String) throws {
        let tag = String(repeating: character, count: 50)
        #expect(try read([tag]) == [tag])
        #expect(throws: JSONError.self) { try read([tag + character]) }
    }

    @Test func `the length is that of the normalised tag`() throws {
        let composed = String(repeating: "\u{E9}", count: 50)
        let padded = "  a\t\n " + String(repeating: "b", count: 48) + " "
        let decomposed = String(repeating: "e\u{301}", count: 50)
        #expect(try read([" \(decomposed) "]) == [composed])
        #expect(throws: JSONError.self) { try read([decomposed + "x"]) }
        #expect(try read([padded]) == ["a " + String(repeating: "b", count: 48)])
    }

    @Test(arguments: ["", " ", "\n", "\u{3000}", "\0", "a\0b"])
    func `a tag without characters or with U+0000 is refused`(tag: String) {
        #expect(throws: JSONError.self) { try read(["sea", tag]) }
    }

    @Test func `a decomposed character is composed`() throws {
        let tags = try read(["cafe\u{301}"])
        #expect(tags.map { Array($0.unicodeScalars) } == [Array("caf\u{E9}".unicodeScalars)])
    }

    /// Composing one of these would keep the loop for minutes.
    @Test(arguments: ["a\u{301}\u{316}", "\u{64B}\u{650}", "\u{93C}\u{94D}"])
    func `a tag with thousands of combining marks is refused at once`(marks: String) {
        let tag = "a" + String(repeating: marks, count: 200_000)
        #expect(throws: JSONError.self) { try read([tag]) }
    }

    @Test func `a tag of 50 characters is composed from up to four scalars each`() throws {
        // U+1FA4.
        let decomposed = "\u{3C9}\u{313}\u{301}\u{345}"
        let tags = try read([String(repeating: decomposed, count: 50)])
        #expect(tags.map(\.unicodeScalars.count) == [50])
    }

    @Test func `a tag that equals an earlier one without case and width is dropped`() throws {
        #expect(try read(["Sea", "dog", "sea", "ＳＥＡ", "Dog "]) == ["Sea", "dog"])
        #expect(try read(["Straße", "STRASSE"]).first == "Straße")
        #expect(try read(["İzmir", "izmir", "I\u{307}ZMIR"]) == ["İzmir"])
    }
}
