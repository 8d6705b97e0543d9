extension JSONSchema {
    /// Reads the schema that another program has written. Keywords with values that this type cannot hold are dropped, and so are
    /// references, which would lead out of the document.
    /// - Throws: a mismatch when the text is not an object.
    package init(reading text: RawJSON) throws(JSONError) { self = try text.read(as: Self.reading) }

    private static let reading = Codec<JSONSchema>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in try JSONSchema(reading: &reader) },
        write: { $0.write(to: &$1) })

    /// The reader limits the depth.
    private init(reading reader: inout JSONReader) throws(JSONError) {
        self.init()
        var object = try reader.beginObject()
        while let member = try reader.nextMember(of: &object) {
            let name = reader.decode(member)
            let keyword = try Keyword(reading: &reader, named: name)
            if !name.hasPrefix("$") { self[name] = keyword }
        }
    }
}

extension JSONSchema.Keyword {
    /// - Returns: nil for a value that is dropped.
    fileprivate init?(reading reader: inout JSONReader, named name: String) throws(JSONError) {
        switch try reader.peek() {
        case .string: self = .string(try reader.string())
        case .object where name == "properties": self = .properties(try Self.properties(&reader))
        case .object where ["items", "additionalProperties", "not"].contains(name):
            self = .schema(try RawJSON(reading: &reader).schema)
        default:
            guard let keyword = try RawJSON(reading: &reader).keyword(named: name) else { return nil }
            self = keyword
        }
    }

    private static func properties(
        _ reader: inout JSONReader
    ) throws(JSONError) -> [(String, JSONSchema)] {
        var properties: [(String, JSONSchema)] = []
        var object = try reader.beginObject()
        while let member = try reader.nextMember(of: &object) {
            let name = reader.decode(member)
            properties.append((name, try RawJSON(reading: &reader).schema))
        }
        return properties
    }
}

extension RawJSON {
    fileprivate init(reading reader: inout JSONReader) throws(JSONError) {
        let range = try reader.skipValue()
        self.init(unchecked: Array(reader.bytes[range]))
    }

    /// `true` and `false` are schemas too; only an object says something about a value.
    fileprivate var schema: JSONSchema { (try? JSONSchema(reading: self)) ?? JSONSchema() }

    /// A number, a truth value, or a list of texts or schemas.
    fileprivate func keyword(named name: String) -> JSONSchema.Keyword? {
        if let number = try? read(as: .integer()) { return .integer(number) }
        if let number = try? read(as: .number()) { return .number(number) }
        if let value = try? read(as: .boolean) { return .boolean(value) }
        if let texts = try? read(as: .array(of: .string)) { return .strings(texts) }
        guard ["anyOf", "oneOf", "allOf"].contains(name) else { return nil }
        let schemas: [RawJSON]? = try? read(as: .array(of: .any))
        return schemas.map { .schemas($0.map(\.schema)) }
    }
}
