import Foundation

/// Finds the `.strings` files of a language in `Resources`.
extension Texts {
    static let table = "Presentation"

    static func bundle(of language: Language) -> Bundle {
        switch language {
        case .en: english
        case .ptBR: portuguese
        case .el: greek
        case .es: spanish
        }
    }

    // Each is opened at its first use. Opening all of them would take a command a millisecond.
    private static let english = open(.en)
    private static let portuguese = open(.ptBR)
    private static let greek = open(.el)
    private static let spanish = open(.es)

    private static func open(_ language: Language) -> Bundle { folder(of: language) ?? .module }

    private static func folder(of language: Language) -> Bundle? {
        // SwiftPM copies `pt-BR.lproj` in lower case; other build systems keep the case.
        [language.rawValue.lowercased(), language.rawValue].lazy
            .compactMap { Bundle.module.path(forResource: $0, ofType: "lproj") }
            .compactMap(Bundle.init(path:))
            .first
    }
}
