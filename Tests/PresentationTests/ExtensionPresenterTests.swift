import JSON
import Presentation
import Testing

@Suite struct ExtensionPresenterTests {
    private func text(_ value: String) throws -> String? {
        ExtensionPresenter.viewModels(["likes": try RawJSON(checking: value)]).first?.text
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
        let shown = ExtensionPresenter.viewModels(["places": one, "likes": one, "comments": one])
        #expect(shown.map(\.name) == ["likes", "places"])
    }
}
