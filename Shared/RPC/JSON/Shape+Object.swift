extension Shape {
    /// A struct as an object, each member declared once:
    /// ```swift
    /// static let shape = Shape.object { object in
    ///     let id = object.required("id", .uuid, \.id)
    ///     let note = object.optional("note", .trimmed(1...100), \.note, "What the sender thought of it.")
    ///     return { Letter(id: try $0[id], note: try $0[note]) }
    /// }
    /// ```
    /// Optional members are left out when nil; absent and `null` are read as nil. Unknown members are ignored, except in
    /// the parameters of a request.
    public static func object(
        _ declare: (inout ObjectDeclaration<Value>) -> @Sendable (ObjectMembers) throws(JSONError) -> Value
    ) -> Shape {
        var declaration = ObjectDeclaration<Value>()
        let make = declare(&declaration)
        let members = declaration.members
        let names = members.map { Array($0.name.utf8) }
        return Shape(
            schema: declaration.schema,
            read: { reader throws(JSONError) in
                try make(try ObjectMembers(reading: &reader, names: names))
            },
            write: { value, writer in
                writer.object { writer in
                    for member in members { member.write(value, &writer) }
                }
            })
    }
}

/// Collects the members of an object shape; see `Shape.object`.
public struct ObjectDeclaration<Object: Sendable> {
    struct Member: Sendable {
        let name: String
        let write: @Sendable (Object, inout JSONWriter) -> Void
    }

    private(set) var members: [Member] = []
    private var properties: [(String, JSONSchema)] = []
    private var requiredNames: [String] = []

    /// A member that is always there.
    public mutating func required<Value>(
        _ name: String, _ shape: Shape<Value>, _ get: @escaping @Sendable (Object) -> Value, _ summary: String? = nil
    ) -> ObjectMember<Value> {
        requiredNames.append(name)
        let encodedName = Array("\"\(name)\"".utf8)
        return declare(name, shape.schema, summary) { object, writer in
            writer.name(encoded: encodedName)
            shape.write(get(object), &writer)
        } read: { reader throws(JSONError) in
            guard var reader else { throw .refused("is missing") }
            return try shape.read(&reader)
        }
    }

    /// A member that may be absent or null.
    public mutating func optional<Value>(
        _ name: String, _ shape: Shape<Value>, _ get: @escaping @Sendable (Object) -> Value?, _ summary: String? = nil
    ) -> ObjectMember<Value?> {
        let encodedName = Array("\"\(name)\"".utf8)
        return declare(name, shape.schema.orNull, summary) { object, writer in
            guard let value = get(object) else { return }
            writer.name(encoded: encodedName)
            shape.write(value, &writer)
        } read: { reader throws(JSONError) in
            guard var reader, try !reader.null() else { return nil }
            return try shape.read(&reader)
        }
    }

    private mutating func declare<Value>(
        _ name: String, _ schema: JSONSchema, _ summary: String?,
        write: @escaping @Sendable (Object, inout JSONWriter) -> Void,
        read: @escaping @Sendable (JSONReader?) throws(JSONError) -> Value
    ) -> ObjectMember<Value> {
        precondition(members.count < ObjectMembers.maximumCount, "an object shape has too many members")
        var schema = schema
        if let summary { schema["description"] = .string(summary) }
        properties.append((name, schema))
        members.append(Member(name: name, write: write))
        return ObjectMember(name: name, index: members.count - 1, read: read)
    }

    var schema: JSONSchema {
        var schema = JSONSchema(type: "object")
        schema["properties"] = .properties(properties)
        if !requiredNames.isEmpty { schema["required"] = .strings(requiredNames) }
        return schema
    }
}

/// Stands for one declared member; `ObjectMembers` takes it as subscript.
public struct ObjectMember<Value: Sendable>: Sendable {
    let name: String
    let index: Int
    let read: @Sendable (JSONReader?) throws(JSONError) -> Value
}

/// The members of one object that is being read: checked and located, not yet decoded.
public struct ObjectMembers {
    /// How many members a shape may declare.
    static let maximumCount = 16

    private let reader: JSONReader
    private var offsets = InlineArray<16, Int>(repeating: -1)

    init(reading reader: inout JSONReader, names: [[UInt8]]) throws(JSONError) {
        var offsets = offsets
        var expected = 0
        try reader.object { reader, name throws(JSONError) in
            // Members mostly come in the order in which they are declared.
            let index =
                expected < names.count && reader.matches(name, names[expected])
                ? expected : names.firstIndex { reader.matches(name, $0) }
            if index == nil, reader.refusesUnknownMembers {
                throw .mismatch(path: reader.decode(name), reason: "is not a known member")
            }
            let range = try reader.skipValue()
            if let index {
                offsets[index] = range.lowerBound
                expected = index + 1
            }
        }
        self.offsets = offsets
        self.reader = reader
    }

    /// The value of a member.
    public subscript<Value>(_ member: ObjectMember<Value>) -> Value {
        get throws(JSONError) {
            let offset = offsets[member.index]
            do throws(JSONError) {
                return try member.read(offset < 0 ? nil : reader.at(offset))
            } catch {
                throw error.inside(member.name)
            }
        }
    }
}
