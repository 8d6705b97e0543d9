extension Codec {
    /// A codec for a struct as a JSON object; each member is declared once:
    /// ```swift
    /// static let codec = Codec.object { object in
    ///     let id = object.required("id", .uuid, \.id)
    ///     let note = object.optional("note", .trimmed(1...100), \.note, "What the sender thought of it.")
    ///     return { Letter(id: try $0[id], note: try $0[note]) }
    /// }
    /// ```
    /// Nil optional members are omitted; absent members and `null` are read as nil. Unknown members are ignored, except
    /// in the parameters of a request.
    public static func object(
        _ declare: (inout ObjectDeclaration<Value>) -> @Sendable (ObjectMembers) throws(JSONError) -> Value
    ) -> Codec {
        var declaration = ObjectDeclaration<Value>()
        let make = declare(&declaration)
        let names = DeclaredNames(declaration.names)
        let writers = declaration.writers
        return Codec(
            schema: declaration.schema,
            read: { reader throws(JSONError) in
                try make(try ObjectMembers(reading: &reader, names: names))
            },
            write: { value, writer in
                writer.object { writer in
                    for write in writers { write(value, &writer) }
                }
            })
    }
}

/// Collects the members of an object codec; see `Codec.object`.
public struct ObjectDeclaration<Object: Sendable> {
    typealias Writer = @Sendable (Object, inout JSONWriter) -> Void

    fileprivate private(set) var names: [String] = []
    fileprivate private(set) var writers: [Writer] = []
    private var properties: [(String, JSONSchema)] = []
    private var requiredNames: [String] = []

    /// Declares a required member.
    public mutating func required<Value>(
        _ name: String, _ codec: Codec<Value>, _ get: @escaping @Sendable (Object) -> Value, _ summary: String? = nil
    ) -> ObjectMember<Value> {
        requiredNames.append(name)
        let (encodedName, writeValue) = (Array("\"\(name)\"".utf8), codec.write)
        let write: Writer = { object, writer in
            writer.name(encoded: encodedName)
            writeValue(get(object), &writer)
        }
        return declare(name, codec.schema, summary, write, read: codec.read) { () throws(JSONError) in
            throw .refused("is missing")
        }
    }

    /// Declares a member that may be absent or null.
    public mutating func optional<Value>(
        _ name: String, _ codec: Codec<Value>, _ get: @escaping @Sendable (Object) -> Value?, _ summary: String? = nil
    ) -> ObjectMember<Value?> {
        let (encodedName, writeValue) = (Array("\"\(name)\"".utf8), codec.write)
        let write: Writer = { object, writer in
            guard let value = get(object) else { return }
            writer.name(encoded: encodedName)
            writeValue(value, &writer)
        }
        return declare(name, codec.schema.orNull, summary, write) { [read = codec.read] reader throws(JSONError) in
            try reader.null() ? nil : try read(&reader)
        } absent: {
            nil
        }
    }

    /// Declares members that belong to a part of the object. The part is taken once for all of them; if it is nil, none is written.
    public mutating func part<Part, Members>(
        _ get: @escaping @Sendable (Object) -> Part?, _ declare: (inout ObjectDeclaration<Part>) -> Members
    ) -> Members {
        var part = ObjectDeclaration<Part>()
        (part.names, part.properties, part.requiredNames) = (names, properties, requiredNames)
        let members = declare(&part)
        (names, properties, requiredNames) = (part.names, part.properties, part.requiredNames)
        writers.append { [writers = part.writers] object, writer in
            guard let part = get(object) else { return }
            for write in writers { write(part, &writer) }
        }
        return members
    }

    private mutating func declare<Value>(
        _ name: String, _ schema: JSONSchema, _ summary: String?,
        _ write: @escaping Writer,
        read: @escaping @Sendable (inout JSONReader) throws(JSONError) -> Value,
        absent: @escaping @Sendable () throws(JSONError) -> Value
    ) -> ObjectMember<Value> {
        precondition(names.count < ObjectMembers.maximumCount, "an object codec has too many members")
        var schema = schema
        if let summary { schema["description"] = .string(summary) }
        properties.append((name, schema))
        names.append(name)
        writers.append(write)
        return ObjectMember(name: name, index: names.count - 1, absent: absent, read: read)
    }

    var schema: JSONSchema {
        var schema = JSONSchema(type: "object")
        schema["properties"] = .properties(properties)
        if !requiredNames.isEmpty { schema["required"] = .strings(requiredNames) }
        return schema
    }
}
