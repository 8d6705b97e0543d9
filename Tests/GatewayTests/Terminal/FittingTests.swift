import Testing

@testable import gateway

struct FittingTests {
    @Test(
        arguments: [
            ("ab", 4, "ab  ", "  ab"),
            ("漢", 4, "漢  ", "  漢"),
            ("👩‍👩‍👧", 3, "👩‍👩‍👧 ", " 👩‍👩‍👧"),
            ("", 2, "  ", "  "),
            ("abcd", 4, "abcd", "abcd"),
            ("abcde", 4, "abcde", "abcde"),
        ])
    func `padding adds the missing columns`(text: String, width: Int, left: String, right: String) {
        #expect(DisplayWidth.padded(text, to: width) == left)
        #expect(DisplayWidth.padded(text, to: width, align: .right) == right)
    }

    @Test(
        arguments: [
            ("abcd", 4, "abcd"),
            ("abcde", 4, "abc…"),
            ("漢字", 4, "漢字"),
            ("漢字", 3, "漢…"),
            ("漢字漢", 4, "漢…"),
            ("漢字", 2, "…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("🇨🇭🇨🇭🇨🇭", 5, "🇨🇭🇨🇭…"),
            ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"),
            ("مرحبا", 3, "مر…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
            ("abc", -1, ""),
            ("", 0, ""),
        ])
    func `truncating keeps whole clusters and adds an ellipsis`(text: String, width: Int, fit: String) {
        #expect(DisplayWidth.truncated(text, to: width) == fit)
    }

    @Test(arguments: 0...20)
    func `truncated text is never too wide, and at most one column too narrow`(width: Int) {
        let text = "a漢e\u{301}👩‍👩‍👧🇨🇭מ❤️한b字"
        let result = DisplayWidth.of(DisplayWidth.truncated(text, to: width))
        #expect(result <= width)
        #expect(result >= min(width, DisplayWidth.of(text)) - 1)
    }
}
