extension Codec {
    /// A codec for an enum whose cases have different JSON types; each is declared once:
    /// ```swift
    /// static let codec = Codec<Answer>.union { union in
    ///     let text = union.alternative(.string, Answer.text)
    ///     let number = union.alternative(.number(), Answer.number)
    ///     return {
    ///         switch $0 {
    ///         case .text(let value): text(value)
    ///         case .number(let value): number(value)
    ///         }
    ///     }
    /// }
    /// ```
    /// The type of the JSON value selects the alternative, so no two alternatives may have the same type.
    public static func union(
        _ declare: (inout UnionDeclaration<Value>) -> @Sendable (Value) -> UnionContent
    ) -> Codec {
        var declaration = UnionDeclaration<Value>()
        let content = declare(&declaration)
        let alternatives = declaration.alternatives
        let expected = alternatives.map(\.type.phrase).joined(separator: " or ")
        return Codec(
            schema: ["oneOf": .schemas(alternatives.map(\.schema))],
            read: { reader throws(JSONError) in
                let token = try reader.peek()
                guard let alternative = alternatives.first(where: { $0.type.token == token }), !reader.isAtNull else {
                    throw .refused("must be \(expected)")
                }
                return try alternative.read(&reader)
            },
            write: { value, writer in content(value).write(&writer) })
    }

    /// A codec for an enum whose cases are objects. A tag member selects the case, as in
    /// `{"kind":"circle","radius":1}`:
    /// ```swift
    /// static let codec = Codec<Figure>.union(taggedBy: "kind") { union in
    ///     let circle = union.alternative("circle", Circle.codec, Figure.circle)
    ///     …
    /// }
    /// ```
    /// The codecs of the alternatives are object codecs that do not declare the tag. It is written first, and may be
    /// read at any position.
    public static func union(
        taggedBy member: String,
        _ declare: (inout TaggedUnionDeclaration<Value>) -> @Sendable (Value) -> UnionContent
    ) -> Codec {
        var declaration = TaggedUnionDeclaration<Value>(member: member)
        let content = declare(&declaration)
        let alternatives = declaration.alternatives
        let expected = alternatives.map(\.tag).joined(separator: ", ")
        let name = Array(member.utf8)
        return Codec(
            schema: ["oneOf": .schemas(alternatives.map(\.schema))],
            read: { reader throws(JSONError) in
                guard let tag = try reader.tag(named: name) else { throw .mismatch(path: member, reason: "is missing") }
                let found: TaggedUnionDeclaration<Value>.Alternative?
                do throws(JSONError) {
                    var value = reader.moved(to: tag.value)
                    let text = try value.string()
                    found = alternatives.first { $0.tag == text }
                } catch {
                    throw error.inside(member)
                }
                guard let found else { throw .mismatch(path: member, reason: "must be one of \(expected)") }
                reader.tagPosition = tag.name
                return try found.read(&reader)
            },
            write: { value, writer in content(value).write(&writer) })
    }
}
