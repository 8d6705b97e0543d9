import Presentation
import Testing

struct TextTableTests {
    @Test(arguments: Language.allCases)
    func `every text exists in every language, none is empty or unknown, and all have the same placeholders`(
        language: Language
    ) throws {
        let english = try TextTable(shippedIn: .en)
        #expect(try TextTable(shippedIn: language).problems(comparedWith: english) == [])
    }

    @Test(arguments: Language.allCases)
    func `no key is repeated in a file`(language: Language) throws {
        let file = String(decoding: try TextTable.file(of: language), as: UTF8.self)
        #expect(file.matches(of: #/(?m)^"[^"]+" = /#).count == TextKey.allCases.count)
    }

    @Test(arguments: Language.allCases)
    func `no text needs more than one argument`(language: Language) throws {
        for (key, text) in try TextTable(shippedIn: language).texts {
            #expect(text.filter { $0 == "%" }.count <= 1, "\(key)")
        }
    }

    @Test(arguments: [
        ("retry", nil, "missing retry"),
        ("stray", "Stray", "unknown stray"),
        ("retry", " ", "empty retry"),
        ("status.updated", "Updated", "placeholders of status.updated"),
        ("status.updated", "Updated %d", "placeholders of status.updated"),
    ])
    func `a faulty table is detected`(key: String, text: String?, problem: String) throws {
        let english = try TextTable(shippedIn: .en)
        var faulty = english.texts
        faulty[key] = text
        #expect(TextTable(faulty).problems(comparedWith: english).contains(problem))
    }
}
