/// How a value looks as JSON: one declaration that reads it, writes it and describes it as JSON Schema, so that the
/// three cannot disagree.
///
/// Codecs are built from smaller ones: `Codec.integer(1...100)`, `Codec.array(of: .uuid)`, and `Codec.object` for
/// structs. A limit that stands in a codec is checked when reading and published in `rpc.describe`.
public struct Codec<Value: Sendable>: Sendable {
    package let schema: JSONSchema
    package let read: @Sendable (inout JSONReader) throws(JSONError) -> Value
    package let write: @Sendable (Value, inout JSONWriter) -> Void

    package init(
        schema: JSONSchema,
        read: @escaping @Sendable (inout JSONReader) throws(JSONError) -> Value,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.schema = schema
        self.read = read
        self.write = write
    }
}

extension Codec {
    /// The same JSON, seen as another type.
    /// - Parameters:
    ///   - keywords: what the schema says in addition.
    ///   - into: fails with `JSONError.mismatch` (see `JSONError.refused`) when the value is not acceptable.
    public func map<Other>(
        describedAs keywords: JSONSchema = JSONSchema(),
        into: @escaping @Sendable (Value) throws(JSONError) -> Other,
        from: @escaping @Sendable (Other) -> Value
    ) -> Codec<Other> {
        let (read, write) = (read, write)
        return Codec<Other>(
            schema: schema.adding(keywords),
            read: { reader throws(JSONError) in try into(read(&reader)) },
            write: { write(from($0), &$1) })
    }
}

extension JSONError {
    /// A value of the right type that breaks a rule: `must be …`.
    public static func refused(_ reason: String) -> JSONError { .mismatch(path: "", reason: reason) }
}
