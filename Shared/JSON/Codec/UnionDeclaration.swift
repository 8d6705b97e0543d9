/// Collects the alternatives of a union that are distinguished by JSON type; see `Codec.union`.
public struct UnionDeclaration<Union: Sendable>: Sendable {
    struct Alternative: Sendable {
        let type: JSONType
        let schema: JSONSchema
        let read: @Sendable (inout JSONReader) throws(JSONError) -> Union
    }

    private(set) var alternatives: [Alternative] = []

    /// - Parameters:
    ///   - codec: a codec with exactly one JSON type; a union, `any`, or the type of another alternative is a programming
    ///     error.
    ///   - make: makes a value of the union, like an enum case with an associated value.
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

/// Collects the alternatives of a union that are distinguished by a tag member; see `Codec.union(taggedBy:)`.
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
    ///   - tag: the value of the tag member.
    ///   - codec: an object codec that does not declare the tag member; anything else is a programming error.
    ///   - make: makes a value of the union, like an enum case with an associated value.
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

/// One alternative of a union. Called with a content, it returns what the union writes.
public struct UnionAlternative<Content: Sendable>: Sendable {
    let write: @Sendable (Content, inout JSONWriter) -> Void

    public func callAsFunction(_ content: Content) -> UnionContent {
        UnionContent { [write] writer in write(content, &writer) }
    }
}

/// The content that a union writes for one of its values.
public struct UnionContent: Sendable {
    let write: @Sendable (inout JSONWriter) -> Void
}

extension JSONReader {
    /// Whether the next value is `null`.
    var isAtNull: Bool { current == UInt8(ascii: "n") }

    /// Returns the positions of a member's name and value in the next value, which must be an object; nil if there is
    /// no such member.
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

    /// Returns a reader at this position.
    func moved(to position: Int) -> JSONReader {
        var reader = self
        reader.position = position
        return reader
    }
}
