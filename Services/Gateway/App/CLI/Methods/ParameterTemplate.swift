import JSON

/// Parameters with an example for every member, to fill in.
enum ParameterTemplate {
    static func tree(_ schema: ParameterSchema) -> JSONValue {
        if schema.isBytes {
            return ["$bytes": ["base64": ""]]
        }
        if let choice = schema.choices.first { return choice }
        if let first = schema.alternatives.first { return tree(first) }
        switch schema.types.subtracting(["null"]).sorted().first {
        case "array": return .array(schema.items.map { [tree($0)] } ?? [])
        case "boolean": return false
        case "integer", "number": return .integer(schema.minimum ?? 0)
        case "string": return .string(text(schema) ?? "")
        case "object", nil:
            // An optional member whose example would be refused is left out.
            let members = schema.members.filter { $0.isRequired || hasExample($0.schema) }
            return .object(JSONMembers(members.map { ($0.name, tree($0.schema)) }))
        case _?: return [:]
        }
    }

    private static func hasExample(_ schema: ParameterSchema) -> Bool {
        guard schema.choices.isEmpty, schema.alternatives.isEmpty, schema.types.contains("string") else { return true }
        return text(schema) != nil
    }

    /// The first example that the schema allows; nil when it allows none of them.
    private static func text(_ schema: ParameterSchema) -> String? {
        switch schema.format {
        case "uuid": id
        case "uri": url
        case "date-time": date
        default: ["", "text", date, id, url].first(where: schema.allows)
        }
    }

    private static let id = "00000000-0000-4000-8000-000000000000"
    private static let url = "https://example.org/"
    private static let date = "2026-03-01T12:00:00Z"
}

extension ParameterSchema {
    /// Whether a text has a length and a form that the schema allows. A pattern that cannot be read allows no text.
    fileprivate func allows(_ text: String) -> Bool {
        let length = text.unicodeScalars.count
        guard length >= tree["minLength"]?.integer ?? 0, length <= tree["maxLength"]?.integer ?? length else {
            return false
        }
        guard let pattern = tree["pattern"]?.text else { return true }
        guard let expression = try? Regex(pattern) else { return false }
        return (try? expression.firstMatch(in: text)) != nil
    }
}
