import Foundation

/// The rule for texts from outside, the same as for texts that are posted.
enum CommentText {
    /// - Returns: the text without white space around it; nil unless it has so many scalars then, none of them U+0000.
    static func trimmed(_ text: String, _ length: ClosedRange<Int>) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard length.contains(trimmed.unicodeScalars.count), !trimmed.utf8.contains(0) else { return nil }
        return trimmed
    }
}

extension ImageComment {
    /// In Unicode scalars, without white space around it.
    public static let messageLength = 1...2_000
    public static let usernameLength = 1...64
}
