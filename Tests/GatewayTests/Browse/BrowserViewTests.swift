import Presentation
import Testing

@testable import gateway

struct BrowserViewTests {
    private typealias Fixture = BrowserFixture

    private static let hostile = [
        "<script>alert(1)</script>", "\u{202E}right to left", "\u{1B}[2J\u{1B}]0;title\u{07}", "👩‍👩‍👧‍👦🐔🏳️‍🌈",
        "zero\u{200B}width\u{FEFF}",
        "a\u{0}b\u{7F}c\u{85}d", String(repeating: "w", count: 10_000), "{{mustache}} %@ \\(x)",
        "one\ntwo\r\nthree\rfour\u{2028}five",
        "漢字かな交じり文", String(repeating: "e\u{301}\u{302}", count: 200), "",
    ]

    /// Everything between escape sequences of the view is harmless, and no line is wider than the window.
    @Test(arguments: hostile, [(80, 24), (20, 8), (36, 12), (5, 3), (1, 1), (200, 60)])
    func `hostile text is shown as text and breaks no line`(text: String, size: (Int, Int)) {
        var fixture = Fixture(columns: size.0, rows: size.1)
        fixture.answer(.feed(after: nil), Fixture.page(0..<3, end: text, problems: [text]) { _ in text })
        check(fixture, size)
        fixture.press(.enter)
        fixture.answer(.comments(of: Fixture.id(0), after: nil), Fixture.comments(0..<3) { _ in text })
        check(fixture, size)
        fixture.type("p")
        check(fixture, size)
        fixture.press(.escape, .escape)
        fixture.type("r")
        fixture.fail(.feed(after: nil), text)
        check(fixture, size)
    }

    private func check(_ fixture: BrowserFixture, _ size: (columns: Int, rows: Int)) {
        for line in fixture.text {
            #expect(DisplayWidth.of(line) <= size.columns)
            #expect(
                !line.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(line.debugDescription)")
            #expect(!line.unicodeScalars.contains { $0.properties.isBidiControl })
        }
    }

    @Test func `line breaks of a text remain`() {
        var fixture = Fixture()
        fixture.answer(.feed(after: nil), Fixture.page(0..<1) { _ in "one\ntwo" })
        #expect(fixture.text.contains { $0.hasSuffix("two") })
    }

    @Test func `a long text ends with an ellipsis`() {
        var fixture = Fixture(columns: 60, rows: 24)
        fixture.answer(.feed(after: nil), Fixture.page(0..<1) { _ in String(repeating: "word ", count: 200) })
        #expect(fixture.text[5].hasSuffix("…"))
        #expect(fixture.text[6].hasSuffix("3 comments"))
    }

    @Test(arguments: Language.allCases) func `every text is in the reader's language`(language: Language) {
        var fixture = Fixture(columns: 200, language: language)
        let texts = Texts(language)
        #expect(fixture.text[0].hasPrefix(" " + texts[.feedTitle]))
        for key in [TextKey.browseChoose, .commentsTitle, .pageReload, .pageLanguage, .browseKeys, .browseQuit] {
            #expect(fixture.text.last?.contains(texts[key]) == true)
        }
        fixture.answer(.feed(after: nil), Fixture.page(0..<1))
        fixture.press(.enter)
        #expect(fixture.text.last?.contains(texts[.pageBack]) == true)
    }

    @Test func `without colours nothing but weights is used`() {
        var fixture = Fixture(pictures: .none, depth: nil)
        fixture.answer(.feed(after: nil), Fixture.page(0..<3, problems: ["Problem"]))
        #expect(!fixture.frame.lines.joined().contains("38;"))
        #expect(fixture.browser.theme.base == "0" && fixture.browser.layout.pictureRows == 4)
        #expect(fixture.text.last?.contains(Texts(.en)[.showLight]) == false)
    }

    @Test(arguments: [(24, 3, 6), (50, 4, 10), (12, 2, 3), (3, 1, 3)])
    func `the number of items follows the height`(rows: Int, count: Int, height: Int) {
        let layout = FeedLayout(size: ScreenSize(columns: 80, rows: rows), hasPictures: true)
        #expect(layout.itemCount == count && layout.pictureRows == height)
    }

    @Test(arguments: [(FeedLayout.narrowest, true), (FeedLayout.narrowest - 1, false)])
    func `a narrow window has no pictures`(columns: Int, hasPictures: Bool) {
        let layout = FeedLayout(size: ScreenSize(columns: columns, rows: 24), hasPictures: true)
        #expect((layout.pictureColumns > 0) == hasPictures)
    }
}
