import Foundation

/// The texts of an item.
public enum FeedText {
    /// A text without surrounding white space, and without U+0000, which no store and no terminal can hold.
    public static func shown(_ text: String) -> String {
        var text = text
        text.unicodeScalars.removeAll { $0.value == 0 }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
