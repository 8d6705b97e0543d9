/// Collects the alternatives of a union that the type of the JSON value tells apart; see `Codec.union`.
public struct UnionDeclaration<Union: Sendable>: Sendable {
    struct Alternative: Sendable {
        let type: JSONType
        let schema: JSONSchema
        let read: @Sendable (inout JSONReader) throws(JSONError) -> Union
    }

    private(set) var alternatives: [Alternative] = []

    /// - Parameters:
    ///   - codec: a codec of one JSON type; a union, `any` and another alternative's type are programming errors.
    ///   - make: makes the union's value, as a case with an associated value does.
    public mutating func alternative<Content>(
        _ codec: Codec<Content>, _ make: @escaping @Sendable (Content) -> Union
    ) -> UnionAlternative<Content> {
        guard let type = JSONType(codec.schema) else {
            preconditionFailure("an alternative of a union must have one JSON type")
        }
        precondition(
            !alternatives.contains { $0.type.token == type.token },
            "two alternatives of a union have the same JSON type")
        let read = codec.read
        alternatives.append(
            Alternative(type: type, schema: codec.schema) { reader throws(JSONError) in make(try read(&reader)) })
        return UnionAlternative(write: codec.write)
    }
}

/// Collects the alternatives of a union that the value of a member tells apart; see `Codec.union(taggedBy:)`.
public struct TaggedUnionDeclaration<Union: Sendable>: Sendable {
    struct Alternative: Sendable {
        let tag: String
        let schema: JSONSchema
        let read: @Sendable (inout JSONReader) throws(JSONError) -> Union
    }

    let member: String
    private(set) var alternatives: [Alternative] = []

    init(member: String) { self.member = member }

    /// - Parameters:
    ///   - tag: the value of the member that tells alternatives apart.
    ///   - codec: an object that does not declare this member; anything else is a programming error.
    ///   - make: makes the union's value, as a case with an associated value does.
    public mutating func alternative<Content>(
        _ tag: String, _ codec: Codec<Content>, _ make: @escaping @Sendable (Content) -> Union
    ) -> UnionAlternative<Content> {
        precondition(!alternatives.contains { $0.tag == tag }, "two alternatives of a union have the same tag")
        let (read, write) = (codec.read, codec.write)
        alternatives.append(
            Alternative(tag: tag, schema: codec.schema.tagged(member, tag)) { reader throws(JSONError) in
                make(try read(&reader))
            })
        var encoded = JSONWriter()
        encoded.name(member)
        encoded.string(tag)
        let encodedTag = encoded.bytes
        return UnionAlternative { content, writer in
            writer.object(beginningWith: encodedTag) { write(content, &$0) }
        }
    }
}

/// Stands for one alternative; called with its content, it makes what a union writes.
public struct UnionAlternative<Content: Sendable>: Sendable {
    let write: @Sendable (Content, inout JSONWriter) -> Void

    public func callAsFunction(_ content: Content) -> UnionContent {
        UnionContent { [write] writer in write(content, &writer) }
    }
}

/// What a union writes for one of its values.
public struct UnionContent: Sendable {
    let write: @Sendable (inout JSONWriter) -> Void
}

extension JSONReader {
    /// Whether the next value, at which the reader stands, is `null`.
    var isAtNull: Bool { current == UInt8(ascii: "n") }

    /// Where a member of the next value, which must be an object, has its name and its value; nil when there is none.
    func tag(named expected: [UInt8]) throws(JSONError) -> (name: Int, value: Int)? {
        var ahead = self
        var object = try ahead.beginObject()
        while let name = try ahead.nextMember(of: &object) {
            if expected.withUnsafeBufferPointer({ ahead.matches(name, $0) }) {
                return (name.range.lowerBound, ahead.position)
            }
            try ahead.skipValue()
        }
        return nil
    }

    /// A reader of the value at this position.
    func moved(to position: Int) -> JSONReader {
        var reader = self
        reader.position = position
        return reader
    }
}
