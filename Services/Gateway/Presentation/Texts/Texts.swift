import Foundation

/// The product's texts in one language.
public struct Texts: Sendable {
    public let language: Language

    public init(_ language: Language) {
        self.language = language
    }

    /// The text of a key; the key's name when the table lacks it.
    public subscript(_ key: TextKey) -> String {
        Self.bundle(of: language).localizedString(forKey: key.rawValue, value: nil, table: Self.table)
    }

    /// The text of a key with `argument` in place of `%@`.
    public func text(_ key: TextKey, _ argument: String) -> String {
        self[key].replacingOccurrences(of: "%@", with: argument)
    }
}
