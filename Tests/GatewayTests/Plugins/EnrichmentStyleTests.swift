import JSON
import Presentation
import Testing

@testable import gateway

/// `label`, `format` and `link` of an enrichment: how readers see its values.
@Suite struct EnrichmentStyleTests {
    private func style(_ members: String) throws(JSONError) -> ExtensionStyle {
        let text = #"{"item":"feed","method":"likes.counts","as":"likes",\#(members)}"#
        return try RawJSON(checking: text).read(as: Enrichment.codec).style
    }

    private static let longest = String(repeating: "é", count: Enrichment.maximumLabel)

    @Test func `all members are read`() throws {
        let style = try style(#""label":{"en":"Likes","pt-BR":"Curtidas"},"format":"count","link":"/v1/likes/{id}""#)
        #expect(
            style
                == ExtensionStyle(
                    label: .byLanguage(["en": "Likes", "pt-BR": "Curtidas"]), format: .count, link: "/v1/likes/{id}"))
    }

    @Test(
        arguments: [
            #""label":"\#(longest)""#, #""label":{"en":"\#(longest)"}"#,
            #""format":"text""#, #""format":"link""#, #""link":"https://example.org/{id}/{value}""#,
            #""link":"/search?q={value}""#,
        ])
    func `a valid style is accepted`(members: String) throws {
        _ = try style(members)
    }

    @Test(
        arguments: [
            (#""label":"\#(longest)é""#, "label"), (#""label":{"en":"\#(longest)é"}"#, "label.en"),
            (#""label":{}"#, "label"),
            (#""format":"number""#, "format"), (#""link":"""#, "link"), (#""link":"likes/{id}""#, "link"),
            (#""link":"//example.org/{id}""#, "link"), (#""link":"/\\example.org""#, "link"),
            (#""link":"javascript:alert({id})""#, "link"), (#""link":"{value}""#, "link"),
            (#""link":"https:{value}""#, "link"),
            (#""link":"/a b""#, "link"), (#""format":"link","link":"/a""#, "link"),
        ])
    func `an invalid style is refused at its place`(members: String, place: String) {
        let error = #expect(throws: JSONError.self) { try style(members) }
        #expect(error.map { "\($0)" }?.contains(place) == true, "\(error.map { "\($0)" } ?? "")")
    }
}
