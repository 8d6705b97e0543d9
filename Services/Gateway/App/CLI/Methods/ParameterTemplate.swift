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
        case "string": return .string(text(schema))
        case "object", nil:
            return .object(JSONMembers(schema.members.map { ($0.name, tree($0.schema)) }))
        case _?: return [:]
        }
    }

    private static func text(_ schema: ParameterSchema) -> String {
        switch schema.format {
        case "uuid": "00000000-0000-4000-8000-000000000000"
        case "uri": "https://example.org/"
        case "date-time": "2026-03-01T12:00:00Z"
        default: ""
        }
    }
}
