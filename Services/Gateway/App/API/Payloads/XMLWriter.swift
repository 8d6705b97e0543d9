/// Writes an XML 1.0 document.
struct XMLWriter {
    private(set) var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"

    /// Writes an element with a text; nil for an empty element.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text content: String? = nil
    ) {
        open(name, attributes)
        guard let content else {
            text += "/>\n"
            return
        }
        text += ">\(Self.escaped(content))</\(name)>\n"
    }

    /// Writes an element with the elements that `content` writes.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: (inout XMLWriter) -> Void
    ) {
        open(name, attributes)
        text += ">\n"
        content(&self)
        text += "</\(name)>\n"
    }

    private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        text += "<\(name)"
        for (attribute, value) in attributes { text += " \(attribute)=\"\(Self.escaped(value))\"" }
    }

    /// Escapes a text for elements and quoted attributes. Readers get exactly this text, except for the characters that
    /// XML 1.0 forbids even as references: each becomes U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        // Scalar by scalar: a character may consist of a mark-up character and a combining accent.
        for scalar in text.unicodeScalars {
            if let reference = reference(to: scalar) {
                escaped += reference
            } else {
                escaped.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return escaped
    }

    /// Nil for a scalar that needs none.
    private static func reference(to scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        // `]]>` may not appear in a text.
        case ">": "&gt;"
        case "\"": "&quot;"
        // Without references, parsers turn a tab and a new line in an attribute into spaces, and each carriage return
        // into a new line.
        case "\t": "&#9;"
        case "\n": "&#10;"
        case "\r": "&#13;"
        default: nil
        }
    }

    /// Whether XML 1.0 allows a scalar (section 2.2, `Char`).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }
}
