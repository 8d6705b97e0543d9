import Foundation

/// What the texts of an item may be.
public enum FeedText {
    /// In Unicode scalars, after trimming.
    public static let maximumDescription = 10_000
    public static let maximumLocation = 1_000

    /// In bytes.
    public static let maximumAddress = 2_048

    /// Nil for what is too long, or could not be stored.
    public static func trimmed(_ text: String, _ maximum: Int) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.unicodeScalars.count <= maximum && !trimmed.utf8.contains(0) ? trimmed : nil
    }

    /// Whether it is an absolute URI of a scheme that the contract lets through.
    public static func isImageAddress(_ text: String) -> Bool {
        guard text.utf8.count <= maximumAddress,
            let parts = URLComponents(string: text, encodingInvalidCharacters: false)
        else { return false }
        switch parts.scheme?.lowercased() {
        case "http", "https": return parts.percentEncodedHost?.isEmpty == false
        case "urn": return !parts.percentEncodedPath.isEmpty
        default: return false
        }
    }
}
