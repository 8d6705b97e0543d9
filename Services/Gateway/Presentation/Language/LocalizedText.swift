import Foundation
import JSON

/// A text of an operator or a plugin: one for all readers, or one for each language.
public enum LocalizedText: Equatable, Sendable {
    case same(String)

    /// By language tag; not empty.
    case byLanguage([String: String])

    /// The text in a language: its own, another variant of the same language, the English one, or the first.
    public func text(in language: Language) -> String {
        switch self {
        case .same(let text): text
        case .byLanguage(let texts):
            Self.nearest(language, in: texts) ?? Self.nearest(.en, in: texts)
                ?? texts.min { $0.key < $1.key }?.value ?? ""
        }
    }

    private static func nearest(_ language: Language, in texts: [String: String]) -> String? {
        texts[language.rawValue]
            ?? texts.sorted { $0.key < $1.key }.first { Language(nearestTo: $0.key) == language }?.value
    }

    /// The maximum number of languages of a text.
    public static let maximumLanguages = 40

    /// `"Likes"`, or `{"en":"Likes","pt-BR":"Curtidas"}`.
    /// - Parameter maximum: the longest text in Unicode scalars.
    public static func codec(maximum: Int) -> Codec<LocalizedText> {
        .union { union in
            let same = union.alternative(line(maximum), LocalizedText.same)
            let byLanguage = union.alternative(languages(maximum), LocalizedText.byLanguage)
            return {
                switch $0 {
                case .same(let text): same(text)
                case .byLanguage(let texts): byLanguage(texts)
                }
            }
        }
    }

    private static func line(_ maximum: Int) -> Codec<String> {
        .string.map(
            describedAs: ["minLength": .integer(1), "maxLength": .integer(maximum)],
            into: { text throws(JSONError) in
                guard (1...maximum).contains(text.unicodeScalars.count),
                    text == text.trimmingCharacters(in: .whitespacesAndNewlines),
                    !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
                else {
                    throw .refused("must be 1 to \(maximum) characters in one line, without spaces around them")
                }
                return text
            },
            from: { $0 })
    }

    private static func languages(_ maximum: Int) -> Codec<[String: String]> {
        .dictionary(of: line(maximum)).map(
            into: { texts throws(JSONError) in
                guard (1...maximumLanguages).contains(texts.count) else {
                    throw .refused("must have 1 to \(maximumLanguages) members")
                }
                for tag in texts.keys.sorted() where tag.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) == nil {
                    throw .refused("\"\(tag.prefix(32))\" must be a language tag, such as en or pt-BR")
                }
                return texts
            },
            from: { $0 })
    }
}
