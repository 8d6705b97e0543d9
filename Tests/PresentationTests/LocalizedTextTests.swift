import JSON
import Presentation
import Testing

@Suite struct LocalizedTextTests {
    private func read(_ json: String) throws -> LocalizedText {
        try RawJSON(checking: json).read(as: LocalizedText.codec(maximum: 3))
    }

    private static func texts(_ count: Int) -> String {
        let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
        let members = (0..<count).map { #""\#(letters[$0 / 26])\#(letters[$0 % 26])":"a""# }
        return "{\(members.joined(separator: ","))}"
    }

    @Test(
        arguments: [
            (#""A""#, .el, "A"), (#"{"en":"A"}"#, .el, "A"), (#"{"pt":"B","en":"A"}"#, .ptBR, "B"),
            (#"{"pt":"C","pt-BR":"B"}"#, .ptBR, "B"), (#"{"de":"D","fr":"F"}"#, .en, "D"),
            (#"{"en-GB":"G","de":"D"}"#, .es, "G"),
        ] as [(String, Language, String)])
    func `a text is in the reader's language, or else in English, or the first`(
        json: String, language: Language, text: String
    ) throws {
        #expect(try read(json).text(in: language) == text)
    }

    @Test(arguments: [#""ééé""#, #"{"zh-Hant-TW":"讚"}"#, texts(LocalizedText.maximumLanguages)])
    func `a valid text is written as it was read`(json: String) throws {
        let text = try read(json)
        #expect(
            try RawJSON(text, as: LocalizedText.codec(maximum: 3)).read(as: LocalizedText.codec(maximum: 3)) == text)
    }

    @Test(
        arguments: [
            "3", "{}", #""""#, #"" a""#, #""éééé""#, #""a\nb""#, #"{"en":""}"#, #"{"en":"éééé"}"#, #"{"":"a"}"#,
            #"{"en_US":"a"}"#, texts(LocalizedText.maximumLanguages + 1),
        ])
    func `an invalid text is refused`(json: String) {
        #expect(throws: JSONError.self) { try read(json) }
    }
}
