import Testing

@testable import gateway

struct DisplayWidthTests {
    @Test(
        arguments: [
            ("", 0),
            ("photo.jpg", 9),
            ("Zürich", 6),
            ("Zu\u{308}rich", 6),
            ("\u{301}", 0),
            ("z\u{335}\u{321}\u{489}", 1),
            ("漢字", 4),
            ("ﾊﾝｶｸ", 4),
            ("ＦＵＬＬ", 8),
            ("「」", 4),
            ("한국어", 6),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("\u{31350}", 2),
            ("مرحبا", 5),
            ("שָׁלוֹם", 4),
            ("สวัสดี", 4),
            ("กำ", 2),
            ("नि", 2),
            ("…", 1),
            ("a\u{200B}b", 2),
            ("a\u{AD}b", 3),
        ])
    func `the width of a text depends on its scripts`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(
        arguments: [
            "😀", "⌚", "🫨", "👍🏽", "🏽", "👩‍👩‍👧", "👩🏾‍🚀", "🏳️‍🌈", "🇨🇭", "🇨", "🏴\u{E0067}\u{E0062}\u{E007F}", "❤️", "❤\u{200D}🔥", "1️⃣",
            "☀️",
        ])
    func `an emoji has two columns, however many scalars it has`(emoji: String) {
        #expect(emoji.count == 1)
        #expect(DisplayWidth.of(emoji) == 2)
    }

    @Test(arguments: ["❤", "☀", "☺\u{FE0E}", "©", "1", "a\u{FE0F}"])
    func `a text presentation has one column`(text: String) {
        #expect(DisplayWidth.of(text) == 1)
    }

    @Test func `a control character counts as 0`() {
        #expect(DisplayWidth.of("a\u{1B}\r\n\u{9B}\u{2028}b") == 2)
    }
}
