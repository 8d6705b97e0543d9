import Foundation

extension Texts {
    static let table = "Presentation"

    static func bundle(of language: Language) -> Bundle { bundles[language] ?? .module }

    private static let bundles = Dictionary(
        uniqueKeysWithValues: Language.allCases.compactMap { language in
            folder(of: language).map { (language, $0) }
        })

    private static func folder(of language: Language) -> Bundle? {
        // SwiftPM lower-cases `pt-BR.lproj` when it copies it; other build systems keep it.
        [language.rawValue.lowercased(), language.rawValue].lazy
            .compactMap { Bundle.module.path(forResource: $0, ofType: "lproj") }
            .compactMap(Bundle.init(path:))
            .first
    }
}
