import JSON

extension JSONValue {
    /// In Unicode scalars.
    static let excerptLength = 300

    /// The JSON, cut off. Only its beginning is written, because values may be large and are named by many differences.
    var excerpt: String {
        var text = ""
        let isWhole = append(to: &text)
        let scalars = text.unicodeScalars
        if isWhole, scalars.count <= Self.excerptLength { return text }
        return String(scalars.prefix(Self.excerptLength)) + "…"
    }

    /// - Returns: whether it wrote the whole value.
    private func append(to text: inout String) -> Bool {
        switch self {
        case .null, .boolean: text += json
        case .number(let number):
            text += number.text.prefix(Self.excerptLength + 1)
        case .string(let string):
            let beginning = String(string.unicodeScalars.prefix(Self.excerptLength + 1))
            text += RawJSON(beginning, as: .string).description
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                guard element.append(to: &text) else { return false }
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { text += "," }
                guard JSONValue.string(name).append(to: &text) else { return false }
                text += ":"
                guard value.append(to: &text) else { return false }
            }
            text += "}"
        }
        // A scalar has at most four bytes.
        return text.utf8.count <= 4 * Self.excerptLength
    }
}
