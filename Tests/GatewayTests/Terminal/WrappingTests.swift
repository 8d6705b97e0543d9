import Testing

@testable import gateway

struct WrappingTests {
    @Test(
        arguments: [
            ("", 10, [""]),
            ("fits well", 10, ["fits well"]),
            ("between  its words", 10, ["between", "its words"]),
            ("unbreakable", 4, ["unbr", "eaka", "ble"]),
            ("a unbreakable b", 6, ["a", "unbrea", "kable", "b"]),
            ("漢字漢字漢", 5, ["漢字", "漢字", "漢"]),
            ("🇨🇭🇨🇭🇨🇭", 4, ["🇨🇭🇨🇭", "🇨🇭"]),
            ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
            ("שלום עולם", 6, ["שלום", "עולם"]),
            ("     ", 3, [""]),
            ("漢字", 1, ["漢", "字"]),
            ("ab", 0, ["a", "b"]),
        ])
    func `lines break between words, otherwise between clusters`(text: String, width: Int, lines: [String]) {
        #expect(Wrapping.lines(text, width: width) == lines)
    }

    @Test(
        arguments: [
            ("ID: 12345678", 10, ["ID:", "  12345678"]),
            ("ID: 1234567890", 10, ["ID:", "  12345678", "  90"]),
            ("Title: one two three", 10, ["Title: one", "  two", "  three"]),
        ])
    func `further lines are indented`(text: String, width: Int, lines: [String]) {
        #expect(Wrapping.lines(text, width: width, indent: "  ") == lines)
    }

    @Test(arguments: 4...60)
    func `nothing is lost and no line is too wide`(width: Int) {
        let text = "A photo 写真 of the 👩‍👩‍👧 family in Zu\u{308}rich 🇨🇭 שלום עולם, incomprehensibilities included."
        let lines = Wrapping.lines(text, width: width, indent: "  ")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
}
