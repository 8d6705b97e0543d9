import Foundation

@testable import Presentation

/// The faults of a language's texts, compared with those of English.
struct TextTable {
    let texts: [String: String]

    init(_ texts: [String: String]) {
        self.texts = texts
    }

    init(shippedIn language: Language) throws {
        texts = try PropertyListDecoder().decode([String: String].self, from: Self.file(of: language))
    }

    static func file(of language: Language) throws -> Data {
        let bundle = Texts.bundle(of: language)
        guard let url = bundle.url(forResource: Texts.table, withExtension: "strings") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return try Data(contentsOf: url)
    }

    func problems(comparedWith english: TextTable) -> [String] {
        let known = Set(TextKey.allCases.map(\.rawValue))
        let missing = known.subtracting(texts.keys).map { "missing \($0)" }
        let unknown = Set(texts.keys).subtracting(known).map { "unknown \($0)" }
        let empty = texts.filter { $0.value.allSatisfy(\.isWhitespace) }.map { "empty \($0.key)" }
        let other = texts.filter { key, text in
            english.texts[key].map(Self.placeholders) != Self.placeholders(in: text)
        }
        return (missing + unknown + empty + other.map { "placeholders of \($0.key)" }).sorted()
    }

    private static func placeholders(in text: String) -> [String] {
        text.matches(of: /%(\d+\$)?[@a-zA-Z%]/).map { String($0.output.0) }.sorted()
    }
}
