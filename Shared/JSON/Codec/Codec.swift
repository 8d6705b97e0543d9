/// The JSON representation of a type. One declaration reads it, writes it and describes it as JSON Schema, so that the
/// three always agree.
///
/// Codecs are built from smaller ones: `Codec.integer(1...100)`, `Codec.array(of: .uuid)`, and `Codec.object` for
/// structs. A codec enforces its limits when reading, and `rpc.describe` publishes them.
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
    /// Returns a codec with the same JSON for another type.
    /// - Parameters:
    ///   - keywords: keywords to add to the schema.
    ///   - into: throws `JSONError.mismatch` (see `JSONError.refused`) for an unacceptable value.
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
    /// The error for a value of the right type that breaks a rule: `must be …`.
    public static func refused(_ reason: String) -> JSONError { .mismatch(path: "", reason: reason) }
}
