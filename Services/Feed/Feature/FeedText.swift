import Foundation

/// Normalises the texts of an item.
public enum FeedText {
    /// The text without surrounding white space and without U+0000, which SQLite and terminals cannot represent.
    public static func shown(_ text: String) -> String {
        var text = text
        text.unicodeScalars.removeAll { $0.value == 0 }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
