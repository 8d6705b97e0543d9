import EdgeModel
import Foundation

/// Normalises the texts of an item.
public enum FeedText {
    /// The storable text without surrounding white space.
    public static func shown(_ text: String) -> String {
        text.storable.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
