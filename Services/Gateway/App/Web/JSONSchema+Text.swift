import JSON

extension JSONSchema {
    /// The values that the schema allows, in a few words: `integer 1…100, default 10`.
    var text: String {
        if case .schema(let items) = self["items"] { return "array of \(items.text)" }
        var words = [format ?? types.joined(separator: " or ")]
        if let limits = range("minimum", "maximum") { words[0] += " \(limits)" }
        if let limits = range("minLength", "maxLength") { words[0] += " of \(limits) characters" }
        if case .integer(let value) = self["default"] { words.append("default \(value)") }
        if case .strings(let values) = self["enum"] { words.append("one of \(values.joined(separator: ", "))") }
        return words.joined(separator: ", ")
    }

    /// The members of an object, also those of objects within it: `author.username`, `items[].id`.
    var members: [Member] { members(below: "") }

    struct Member {
        let path: String
        let schema: JSONSchema
        let isRequired: Bool

        var summary: String { if case .string(let text) = schema["description"] { text } else { "" } }
    }

    private func members(below path: String) -> [Member] {
        if case .schema(let items) = self["items"] { return items.members(below: path + "[]") }
        guard case .properties(let properties) = self["properties"] else { return [] }
        let required = if case .strings(let names) = self["required"] { names } else { [String]() }
        return properties.flatMap { name, schema in
            let path = path.isEmpty ? name : "\(path).\(name)"
            return [Member(path: path, schema: schema, isRequired: required.contains(name))]
                + schema.members(below: path)
        }
    }

    private var types: [String] {
        switch self["type"] {
        case .string(let type): [type]
        case .strings(let types): types
        default: ["any"]
        }
    }

    /// A format says more than the type, which is a string.
    private var format: String? {
        guard case .string(let format) = self["format"] else { return nil }
        return types.contains("null") ? "\(format) or null" : format
    }

    private func range(_ least: String, _ most: String) -> String? {
        switch (self[least], self[most]) {
        case (.integer(let least), .integer(let most)): "\(least)…\(most)"
        case (.integer(let least), _): "\(least)…"
        case (_, .integer(let most)): "up to \(most)"
        default: nil
        }
    }
}
