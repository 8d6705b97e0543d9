import JSON

/// The types that a client declares: one for each object with properties, named after its place.
struct DeclaredTypes {
    struct Declaration {
        let name: String
        let members: [(name: String, type: String, isRequired: Bool)]
    }

    private(set) var declarations: [Declaration] = []

    /// How a language writes types.
    struct Spelling: Sendable {
        let any, bytes, null: String
        let primitives: [String: String]
        let literal: @Sendable (JSONValue) -> String
        let literals: @Sendable ([String]) -> String
        let array, dictionary: @Sendable (String) -> String
    }

    private let spelling: Spelling

    init(_ spelling: Spelling) { self.spelling = spelling }

    /// The type of values of a schema.
    /// - Parameter name: the name of a declaration that it may need.
    mutating func type(of schema: JSONValue, named name: String) -> String {
        if schema["properties"]?["$bytes"] != nil { return spelling.bytes }
        if let values = schema["enum"]?.elements { return spelling.literals(values.map(spelling.literal)) }
        if let choices = schema["anyOf"]?.elements ?? schema["oneOf"]?.elements {
            return choices.enumerated().map { type(of: $1, named: "\(name)\($0 + 1)") }.joined(separator: " | ")
        }
        let types = schema["type"].map { ($0.elements ?? [$0]).compactMap(\.text) } ?? []
        if types.isEmpty { return spelling.any }
        return types.map { type(called: $0, of: schema, named: name) }.joined(separator: " | ")
    }

    private mutating func type(called type: String, of schema: JSONValue, named name: String) -> String {
        switch type {
        case "null": return spelling.null
        case "array":
            return spelling.array(schema["items"].map { self.type(of: $0, named: name + "Item") } ?? spelling.any)
        case "object":
            if let members = schema["properties"]?.members { return declare(members, schema, name) }
            let values = schema["additionalProperties"].flatMap { $0.members == nil ? nil : $0 }
            return spelling.dictionary(values.map { self.type(of: $0, named: name + "Value") } ?? spelling.any)
        default: return spelling.primitives[type] ?? spelling.any
        }
    }

    private mutating func declare(_ properties: JSONMembers, _ schema: JSONValue, _ name: String) -> String {
        let required = (schema["required"]?.elements ?? []).compactMap(\.text)
        let members = properties.map { member, schema in
            let type = type(of: schema, named: name + member.capitalizedWords)
            return (member, type, required.contains(member))
        }
        declarations.append(Declaration(name: name, members: members))
        return name
    }
}
