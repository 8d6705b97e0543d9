import Presentation
import Testing

struct LanguageTests {
    @Test(arguments: [
        ("en", Language.en), ("en-GB", .en), ("pt-BR", .ptBR), ("pt", .ptBR), ("el-GR", .el), ("es-MX", .es),
        ("PT-br", .ptBR), ("es-419", .es),
    ])
    func `a BCP 47 tag gives its language`(tag: String, language: Language) {
        #expect(Language(negotiating: [tag]) == language)
    }

    @Test(arguments: [
        ("pt_BR.UTF-8", Language.ptBR), ("el_GR", .el), ("es_ES@euro", .es), ("es.UTF-8", .es), ("en_US.UTF-8", .en),
    ])
    func `a POSIX locale name gives its language`(name: String, language: Language) {
        #expect(Language(negotiating: [name]) == language)
    }

    @Test(arguments: ["pt-PT", "pt_PT.UTF-8", "pt-AO"])
    func `any Portuguese selects pt-BR`(preference: String) {
        #expect(Language(negotiating: [preference]) == .ptBR)
    }

    @Test(arguments: [[], [""], ["zz"], ["elx"], ["*"], ["-"], ["C"], ["POSIX"], ["C.UTF-8"]])
    func `without a supported language it is English`(preferences: [String]) {
        #expect(Language(negotiating: preferences) == .en)
    }

    /// Compared whole, one of these would take minutes.
    @Test func `a preference with many combining marks is no language`() {
        let marks = String(repeating: "\u{301}\u{316}", count: 200_000)
        #expect(Language(negotiating: ["e" + marks, "el"]) == .el && Language(negotiating: ["el-" + marks]) == .el)
    }

    @Test func `the first supported preference is selected`() {
        #expect(Language(negotiating: ["", "zz", "fr-FR", "el-GR", "es"]) == .el)
    }

    @Test(arguments: ["C", "POSIX", "C.UTF-8"])
    func `the C locale selects English before other preferences`(name: String) {
        #expect(Language(negotiating: [name, "el_GR.UTF-8"]) == .en)
    }

    @Test(arguments: Language.allCases)
    func `a language's tag names it and its locale`(language: Language) {
        #expect(Language(negotiating: [language.rawValue]) == language)
        #expect(language.locale.identifier(.bcp47) == language.rawValue)
    }
}
