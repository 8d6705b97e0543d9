import JSON
import RPC

/// The signature of a method in a few lines, made from its schemas.
struct Signature {
    let method: MethodDescription

    /// For example `feed.get(` / `  id: uuid` / `) → {…}`.
    var lines: [String] {
        let params = ParameterSchema(method.params)
        let arrow = method.streams ? "→ stream of" : "→"
        let result = Self.lines(of: ParameterSchema(method.result))
        let head =
            params.members.isEmpty
            ? ["\(method.name)() \(arrow) \(result[0])"]
            : ["\(method.name)("] + Self.members(params) + [") \(arrow) \(result[0])"]
        return head + result.dropFirst()
    }

    private static func members(_ schema: ParameterSchema) -> [String] {
        schema.members.map { member in
            let type = "  \(member.name)\(member.isRequired ? "" : "?"): \(name(of: member.schema))"
            return member.schema.summary.map { "\(type)  – \($0)" } ?? type
        }
    }

    private static func lines(of schema: ParameterSchema) -> [String] {
        schema.members.isEmpty || schema.isBytes ? [name(of: schema)] : ["{"] + members(schema) + ["}"]
    }

    /// The type of a value in a few words.
    static func name(of schema: ParameterSchema, depth: Int = 0) -> String {
        if schema.isBytes { return "bytes" }
        if !schema.choices.isEmpty { return schema.choices.map(\.json).joined(separator: " | ") }
        let alternatives = schema.alternatives.filter { $0.types != ["null"] }
        if !alternatives.isEmpty { return alternatives.map { name(of: $0, depth: depth) }.joined(separator: " | ") }
        switch schema.types.subtracting(["null"]).sorted().first {
        case "array": return "[\(schema.items.map { name(of: $0, depth: depth) } ?? "any")]"
        case "object": return object(schema, depth)
        case "integer": return "integer" + range(schema)
        case "string": return schema.format == "uuid" ? "uuid" : schema.format == "uri" ? "url" : "string"
        case let type?: return type
        case nil: return schema.tree["$ref"]?.text ?? "any"
        }
    }

    /// Objects are written out to this depth.
    private static let depth = 2

    private static func object(_ schema: ParameterSchema, _ depth: Int) -> String {
        if let values = schema.values, schema.members.isEmpty {
            return "{name: \(name(of: values, depth: depth + 1))}"
        }
        guard depth < Self.depth, !schema.members.isEmpty else { return schema.members.isEmpty ? "object" : "{…}" }
        let members = schema.members.map {
            "\($0.name)\($0.isRequired ? "" : "?"): \(name(of: $0.schema, depth: depth + 1))"
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private static func range(_ schema: ParameterSchema) -> String {
        switch (schema.minimum, schema.maximum) {
        case (let least?, let most?): " \(least)…\(most)"
        case (let least?, nil): " ≥ \(least)"
        case (nil, let most?): " ≤ \(most)"
        case (nil, nil): ""
        }
    }
}
