/// A JSON Schema (2020-12) as a list of keywords, in the order in which they are added.
public struct JSONSchema: Sendable, ExpressibleByDictionaryLiteral {
    /// The value of a keyword.
    public indirect enum Keyword: Sendable {
        case string(String)
        case integer(Int)
        case number(Double)
        case boolean(Bool)
        case strings([String])
        case schema(JSONSchema)
        case schemas([JSONSchema])
        case properties([(String, JSONSchema)])
    }

    private var keywords: [(name: String, value: Keyword)] = []

    /// Makes the schema that allows every value.
    public init() {}

    init(type: String) { self["type"] = .string(type) }

    public init(dictionaryLiteral elements: (String, Keyword)...) {
        for (name, value) in elements { self[name] = value }
    }

    package internal(set) subscript(_ name: String) -> Keyword? {
        get { keywords.first { $0.name == name }?.value }
        set {
            keywords.removeAll { $0.name == name }
            if let newValue { keywords.append((name, newValue)) }
        }
    }

    package func adding(_ other: JSONSchema) -> JSONSchema {
        var sum = self
        for (name, value) in other.keywords { sum[name] = value }
        return sum
    }

    /// The same schema, or null.
    var orNull: JSONSchema {
        guard case .string(let type) = self["type"], self["enum"] == nil else {
            return ["anyOf": .schemas([self, JSONSchema(type: "null")])]
        }
        var schema = self
        schema["type"] = .strings([type, "null"])
        return schema
    }

    /// The schema of an object, with one more required member that has a constant value.
    func tagged(_ member: String, _ value: String) -> JSONSchema {
        guard case .properties(let properties) = self["properties"] else {
            preconditionFailure("an alternative of a tagged union must be an object")
        }
        precondition(
            !properties.contains { $0.0 == member }, "an alternative of a tagged union declares the tag itself")
        let required = if case .strings(let names) = self["required"] { names } else { [String]() }
        var schema = self
        schema["properties"] = .properties([(member, ["const": .string(value)] as JSONSchema)] + properties)
        schema["required"] = .strings([member] + required)
        return schema
    }

    /// The schema of a form with the same members: a field is a text or absent, never null.
    package var withoutNull: JSONSchema {
        var schema = self
        if case .strings(let types) = self["type"] {
            let others = types.filter { $0 != "null" }
            schema["type"] = others.count == 1 ? .string(others[0]) : .strings(others)
        }
        if case .properties(let properties) = self["properties"] {
            schema["properties"] = .properties(properties.map { ($0, $1.withoutNull) })
        }
        return schema
    }

    /// The schema of parameters: unknown members are refused at every depth.
    package var closed: JSONSchema {
        var schema = JSONSchema()
        for (name, value) in keywords { schema[name] = value.closed }
        if case .properties = self["properties"] { schema["additionalProperties"] = .boolean(false) }
        return schema
    }

    /// Whether values may have a member with this name, at any depth.
    package func mentions(member name: String) -> Bool { keywords.contains { $0.value.mentions(member: name) } }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (name, value) in keywords {
                writer.name(name)
                value.write(to: &writer)
            }
        }
    }

    package var json: RawJSON {
        var writer = JSONWriter()
        write(to: &writer)
        return RawJSON(unchecked: writer.bytes)
    }
}

extension JSONSchema.Keyword {
    fileprivate var closed: Self {
        switch self {
        case .schema(let schema): .schema(schema.closed)
        case .schemas(let schemas): .schemas(schemas.map(\.closed))
        case .properties(let properties): .properties(properties.map { ($0, $1.closed) })
        case .string, .integer, .number, .boolean, .strings: self
        }
    }

    fileprivate func mentions(member name: String) -> Bool {
        switch self {
        case .schema(let schema): schema.mentions(member: name)
        case .schemas(let schemas): schemas.contains { $0.mentions(member: name) }
        case .properties(let properties): properties.contains { $0.0 == name || $0.1.mentions(member: name) }
        case .string, .integer, .number, .boolean, .strings: false
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .number(let number): writer.number(number)
        case .boolean(let value): writer.boolean(value)
        case .strings(let texts): writer.array(texts) { $1.string($0) }
        case .schema(let schema): schema.write(to: &writer)
        case .schemas(let schemas): writer.array(schemas) { $0.write(to: &$1) }
        case .properties(let properties):
            writer.object { writer in
                for (name, schema) in properties {
                    writer.name(name)
                    schema.write(to: &writer)
                }
            }
        }
    }
}
