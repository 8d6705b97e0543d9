import JSON

/// The parts of a JSON Schema that the command line needs.
///
/// A schema may come from any plugin. A keyword that has another form than expected counts as absent; references are not followed.
struct ParameterSchema: Sendable {
    let tree: JSONValue

    /// - Parameter schema: nested too deeply, it says nothing.
    init(_ schema: RawJSON) { tree = (try? JSONValue(schema)) ?? [:] }

    init(_ tree: JSONValue) { self.tree = tree }

    /// The members of an object, in their order.
    var members: [(name: String, schema: ParameterSchema, isRequired: Bool)] {
        let required = Set((tree["required"]?.elements ?? []).compactMap(\.text))
        return (tree["properties"]?.members ?? JSONMembers()).map { name, schema in
            (name, ParameterSchema(schema), required.contains(name))
        }
    }

    func member(_ name: String) -> ParameterSchema? { members.first { $0.name == name }?.schema }

    /// The schema of an array's elements.
    var items: ParameterSchema? { tree["items"].map(ParameterSchema.init) }

    /// The schema of the values of an object that is used as a dictionary.
    var values: ParameterSchema? {
        guard let values = tree["additionalProperties"], values.members != nil else { return nil }
        return ParameterSchema(values)
    }

    var alternatives: [ParameterSchema] {
        ((tree["anyOf"] ?? tree["oneOf"])?.elements ?? []).map { ParameterSchema($0) }
    }

    /// The values of an enum.
    var choices: [JSONValue] { tree["enum"]?.elements ?? tree["const"].map { [$0] } ?? [] }

    var summary: String? { tree["description"]?.text }
    var format: String? { tree["format"]?.text }
    var minimum: Int? { tree["minimum"]?.integer }
    var maximum: Int? { tree["maximum"]?.integer }

    /// The names of the JSON types that a value may have; empty when the schema names none.
    var types: Set<String> {
        let own = tree["type"].map { $0.elements ?? [$0] } ?? []
        let texts = choices.contains { $0.text != nil } ? ["string"] : []
        return Set(own.compactMap(\.text) + texts).union(alternatives.flatMap(\.types))
    }

    /// Whether a value is bytes: `{"$bytes": {"base64": …}}`.
    var isBytes: Bool { member("$bytes") != nil || alternatives.contains(where: \.isBytes) }

    /// The schema at a path of names and positions; nil when the schema has none.
    func at(_ path: some Sequence<ParameterPath.Step>) -> ParameterSchema? {
        path.reduce(self as ParameterSchema?) { schema, step in schema?.at(step) }
    }

    private func at(_ step: ParameterPath.Step) -> ParameterSchema? {
        let own: ParameterSchema? =
            switch step {
            case .name(let name): member(name) ?? values
            case .position: items
            }
        return own ?? alternatives.lazy.compactMap { $0.at(step) }.first
    }
}
