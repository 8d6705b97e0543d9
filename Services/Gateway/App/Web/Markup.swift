import Mustache

/// Escapes texts for HTML elements and quoted attributes, and removes the characters that would change other texts.
///
/// It replaces the escaping of swift-mustache 2.1.1, which compares whole characters: it does not escape a quotation mark that a
/// combining accent follows, so a text could leave its attribute.
struct Markup: MustacheContentType {
    static let name = "MARKUP"

    func escapeText(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { Self.replacement(of: $0) != nil }) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        for scalar in text.unicodeScalars {
            if let replacement = Self.replacement(of: scalar) {
                escaped += replacement
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// - Returns: nil for a scalar that stays.
    private static func replacement(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x26: "&amp;"
        case 0x3C: "&lt;"
        case 0x3E: "&gt;"
        case 0x22: "&quot;"
        case 0x27: "&#39;"
        case 0x09, 0x0A: nil
        // Control characters: browsers show them as boxes, and HTML forbids most of them.
        case ..<0x20, 0x7F...0x9F: ""
        // Embeddings, overrides and isolates of the writing direction. `dir="auto"` isolates a text from its neighbours, but not from
        // itself: an override would show its letters in another order.
        case 0x202A...0x202E, 0x2066...0x2069: ""
        default: nil
        }
    }
}
