import EdgeModel
import Foundation

/// Texts of other programs as the feed takes them.
enum ImportText {
    /// A text of at most `length` Unicode scalars. It ends before a character that does not fit.
    static func cut(_ text: String, to length: Int) -> String {
        guard text.unicodeScalars.count > length else { return text }
        var (room, end) = (length, text.startIndex)
        while end < text.endIndex {
            room -= text[end].unicodeScalars.count
            guard room >= 0 else { break }
            end = text.index(after: end)
        }
        return String(text[..<end])
    }

    /// The names that can be tags, as many as an item can have.
    static func tags(_ names: [String]) -> [String] {
        let fitting = ItemTags.stored(names).filter { ItemTags.length.contains($0.unicodeScalars.count) }
        return Array(fitting.prefix(ItemTags.maximumCount))
    }

    /// A title and a text behind it, unless the text begins with the title.
    static func joined(title: String?, description: String?) -> String? {
        let hasTitle = title.map { title in
            description.map { $0.hasPrefix(title) && $0.dropFirst(title.count).first?.isLetter != true } ?? false
        }
        let texts = [hasTitle == true ? nil : title, description].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}
