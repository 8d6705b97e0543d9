import Foundation
import JSON
import Presentation
import Testing

@Suite struct ExtensionPresenterTests {
    private static let id = UUID()

    private func shown(
        _ value: String, _ style: ExtensionStyle = ExtensionStyle(), in language: Language = .en
    ) throws -> ExtensionViewModel? {
        ExtensionPresenter.viewModels(
            ["likes": try RawJSON(checking: value)], ["likes": style], of: Self.id, language: language
        ).first
    }

    private func text(_ value: String, _ format: ExtensionStyle.Format? = nil) throws -> String? {
        try shown(value, ExtensionStyle(format: format))?.text
    }

    @Test(
        arguments: [
            ("3", "3"), ("-1.50", "-1.50"), (#""many""#, "many"), (#"{"text":"12° S","lat":-12}"#, "12° S"),
            (#""two\n lines\t""#, "two lines"),
        ])
    func `short texts, numbers and objects with a text are shown`(value: String, shown: String) throws {
        #expect(try text(value) == shown)
    }

    @Test(arguments: ["true", "null", "[1]", "{}", #"{"text":3}"#, #""""#, #"" \n""#])
    func `other values are for programs only`(value: String) throws {
        #expect(try text(value) == nil)
    }

    @Test(arguments: [80, 81]) func `a text of at most 80 characters is shown`(count: Int) throws {
        let long = String(repeating: "é", count: count)
        #expect(try text("\"\(long)\"") == (count == 80 ? long : nil))
    }

    @Test func `values are in the order of their names, without the number of comments`() throws {
        let one = try RawJSON(checking: "1")
        let shown = ExtensionPresenter.viewModels(
            ["places": one, "likes": one, "comments": one], of: Self.id, language: .en)
        #expect(shown.map(\.name) == ["likes", "places"])
    }

    @Test func `the label is that of the style, or else the name`() throws {
        let label = LocalizedText.byLanguage(["en": "Likes", "pt-BR": "Curtidas"])
        let styled = try #require(try shown("1", ExtensionStyle(label: label), in: .ptBR))
        #expect(styled.label == "Curtidas" && styled.name == "likes")
        #expect(try shown("1")?.label == "likes")
    }

    @Test(
        arguments: [(.en, "1,234,567"), (.ptBR, "1.234.567"), (.el, "1.234.567"), (.es, "1.234.567")]
            as [(Language, String)])
    func `a count is grouped as the language does it`(language: Language, text: String) throws {
        #expect(try shown("1234567", ExtensionStyle(format: .count), in: language)?.text == text)
    }

    @Test func `a value without the format of its style is for programs only`() throws {
        for value in ["-1", "1.5", #""3""#, "{}"] { #expect(try text(value, .count) == nil, "\(value)") }
        for value in ["3", "[]", #"{"url":"https://example.org"}"#] {
            #expect(try text(value, .text) == nil, "\(value)")
        }
        for value in ["3", #""javascript:alert(1)""#, #"{"text":"a"}"#, #"{"url":"//a","text":"a"}"#] {
            #expect(try text(value, .link) == nil, "\(value)")
        }
    }

    @Test func `a link is shown by its text or its host`() throws {
        let style = ExtensionStyle(format: .link)
        let plain = try #require(try shown(#""https://example.org/a?b=c""#, style))
        #expect(plain.text == "example.org" && plain.link == "https://example.org/a?b=c")
        let named = try #require(try shown(#"{"url":"http://example.org/a","text":"Map"}"#, style))
        #expect(named.text == "Map" && named.link == "http://example.org/a")
    }

    @Test func `a value leads to the link of its style`() throws {
        let style = ExtensionStyle(link: "/v1/likes/{id}?by={value}")
        #expect(try shown(#""a b&/é""#, style)?.link == "/v1/likes/\(Self.id.uuidString)?by=a%20b%26%2F%C3%A9")
    }
}
