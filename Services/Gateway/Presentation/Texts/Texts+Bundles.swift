import Foundation

/// Finds the `.strings` files of a language in `Resources`.
extension Texts {
    static let table = "Presentation"

    static func bundle(of language: Language) -> Bundle { bundles[language] ?? .module }

    private static let bundles = Dictionary(
        uniqueKeysWithValues: Language.allCases.compactMap { language in
            folder(of: language).map { (language, $0) }
        })

    private static func folder(of language: Language) -> Bundle? {
        // SwiftPM copies `pt-BR.lproj` in lower case; other build systems keep the case.
        [language.rawValue.lowercased(), language.rawValue].lazy
            .compactMap { Bundle.module.path(forResource: $0, ofType: "lproj") }
            .compactMap(Bundle.init(path:))
            .first
    }
}
