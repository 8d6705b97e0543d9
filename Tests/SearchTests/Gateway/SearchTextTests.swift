import EdgeModel
import FeedContract
import Foundation
import Presentation
import RPC
import RPCTestKit
import SearchContract
import Testing

@testable import gateway

/// The texts of search, and its help.
@Suite struct SearchTextTests {
    @Test("every text exists in every language, with the same places", arguments: Language.allCases)
    func texts(language: Language) {
        for text in SearchText.allCases {
            #expect(!text.text(in: language).isEmpty)
            #expect(text.text(in: language).contains("%@") == text.text(in: .en).contains("%@"), "\(text)")
        }
        #expect(Set(SearchText.allCases.map { $0.text(in: language) }).count == SearchText.allCases.count)
    }

    @Test(
        "the number of results has a plural",
        arguments: [
            (Language.en, ["1 result", "2 results", "1,000 results or more"]),
            (.ptBR, ["1 resultado", "2 resultados", "1.000 resultados ou mais"]),
            (.el, ["1 αποτέλεσμα", "2 αποτελέσματα", "1.000 αποτελέσματα ή περισσότερα"]),
            (.es, ["1 resultado", "2 resultados", "1000 resultados o más"]),
        ])
    func total(language: Language, texts: [String]) {
        #expect([1, 2, FoundItems.maximumTotal].map { SearchText.total($0, in: language) } == texts)
    }

    @Test("a page has no image twice, also if the plugin answers it twice")
    func distinctImages() {
        let item = EnrichedItem(item: FeedItem(id: UUID(), image: "urn:x:a"))
        let found = FoundItem(imageID: item.item.id, snippet: [], score: 1)
        let answer = SearchAnswer(
            FoundItems(items: [found, found], nextAfter: nil, totalAtLeast: 2, indexedAt: nil), [item, item])
        #expect(answer.hits.map(\.item.item.id) == [item.item.id])
    }

    @Test("the number of results that are not shown has a plural", arguments: Language.allCases)
    func missing(language: Language) {
        let texts = [1, 2].map { SearchText.missing($0, in: language) }
        #expect(texts[0].hasPrefix("1 ") && texts[1].hasPrefix("2 ") && texts[0].dropFirst() != texts[1].dropFirst())
    }

    private static func suggestions(_ tags: String...) -> Suggestions {
        Suggestions(tags: tags.map { Suggestion(text: $0, count: 1) }, places: [], people: [])
    }

    private static func item(_ description: String?, credit: String? = nil, isSensitive: Bool = false) -> FeedItem {
        FeedItem(
            id: UUID(), description: description, image: "urn:x:y",
            details: PictureDetails(credit: credit, isSensitive: isSensitive))
    }

    @Test(
        "the examples are short searches for what the feed has",
        arguments: [
            (nil, [], []), (suggestions(), [item(nil)], []),
            (suggestions("sea"), [item("At the golden hour, by the sea")], ["tag:sea"]),
            (suggestions("sea"), [item("A golden evening by the sea")], ["\"golden evening\"", "tag:sea"]),
            (suggestions("so-called \"art\"", "a*", "golden hour"), [], ["tag:\"golden hour\""]),
            (
                suggestions(String(repeating: "x", count: 33), String(repeating: "y", count: 32)), [],
                ["tag:" + String(repeating: "y", count: 32)]
            ),
            (
                nil, [item("Nothing here", credit: "Ana", isSensitive: true), item("x", credit: "João da Silva")],
                ["by:\"João da Silva\""]
            ),
        ] as [(Suggestions?, [FeedItem], [String])])
    func examples(suggestions: Suggestions?, items: [FeedItem], queries: [String]) {
        #expect(SearchExample.all(suggestions, items).map(\.query) == queries)
    }

    @Test("the help of the command is that of the golden file") func help() throws {
        let text = GatewayCommand.helpMessage(for: SearchCommand.self, columns: 80)
        let file = "\(Program.repository)/Tests/SearchTests/Gateway/gateway-search.txt"
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try Data(text.utf8).write(to: URL(filePath: file))
        }
        let golden = try String(contentsOfFile: file, encoding: .utf8)
        #expect(golden == text)
    }

    @Test(
        "a search is written into a path as it was read",
        arguments: ["", "q=a", "q=a%20b&tag=x&tag=y%26z&limit=3", "tag=%2B&q=%22"])
    func paths(query: String) throws {
        let search = try SearchRequest(Query(query))
        let path = search.path("/search", after: "1.2")
        let again = try SearchRequest(Query(String(path.split(separator: "?", maxSplits: 1)[1])))
        #expect(again.params() == search.with(after: "1.2").params())
    }

    @Test(
        "the hits of a row are marked in one pass, in its snippet only",
        arguments: [
            ("id  room 1 room", [("room ", false), ("1", true)], "id  room [1] room"),
            ("1  a tram", [("a ", false), ("tram", true)], "1  a [tram]"), ("id  other", [("tram", true)], "id  other"),
            ("id  a tr…", [("a ", false), ("tram", true)], "id  a [tr]…"), ("id  x", [], "id  x"),
        ] as [(String, [(String, Bool)], String)])
    func marks(line: String, snippet: [(String, Bool)], marked: String) {
        let parts = snippet.map { SnippetPart($0.0, isHit: $0.1) }
        let text = SearchCommand.marked(line[...], parts, Style(isOn: true))
        #expect(
            text.replacing("\u{1B}[1m\u{1B}[33m", with: "[").replacing("\u{1B}[39m\u{1B}[22m", with: "]") == marked)
    }

    @Test("tags are limited", arguments: [20, 21]) func tags(count: Int) throws {
        let query = Query(Array(repeating: "tag=a", count: count).joined(separator: "&"))
        if count == 20 {
            #expect(try SearchRequest(query).tags.count == 20)
        } else {
            #expect(throws: RPCError.self) { try SearchRequest(query) }
        }
    }
}

extension SearchRequest {
    fileprivate func with(after cursor: String) -> SearchRequest {
        var search = self
        search.after = cursor
        return search
    }
}
