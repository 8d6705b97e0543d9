import Foundation
import Testing

@testable import JSON

/// `rpc.describe` publishes the rules that the reader enforces.
struct JSONSchemaTests {
    private enum Colour: String, CaseIterable, Sendable { case red, green }

    @Test(
        arguments: [
            (Codec<Int>.integer().schema, #"{"type":"integer"}"#),
            (Codec<Int>.integer(1...100).schema, #"{"type":"integer","minimum":1,"maximum":100}"#),
            (Codec<Int>.integer(0 ... .max).schema, #"{"type":"integer","minimum":0}"#),
            (Codec<Double>.number().schema, #"{"type":"number"}"#),
            (Codec<Double>.number(0...0.5).schema, #"{"type":"number","minimum":0,"maximum":0.5}"#),
            (Codec<Bool>.boolean.schema, #"{"type":"boolean"}"#), (Codec<String>.string.schema, #"{"type":"string"}"#),
            (Codec<Colour>.oneOf.schema, #"{"type":"string","enum":["red","green"]}"#),
            (Codec<UUID>.uuid.schema, #"{"type":"string","format":"uuid"}"#),
            (
                Codec<Date>.date.schema,
                #"{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$"}"#
            ),
            (Codec<RawJSON>.any.schema, "{}"),
            (
                Codec<[Int]>.array(of: .integer(), count: 1...3).schema,
                #"{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3}"#
            ),
            (
                Codec<[String: Int]>.dictionary(of: .integer()).schema,
                #"{"type":"object","additionalProperties":{"type":"integer"}}"#
            ),
        ] as [(JSONSchema, String)])
    func `a codec is described by the schema`(schema: JSONSchema, text: String) {
        #expect(schema.json.description == text)
    }

    private struct Outer: Sendable {
        struct Inner: Sendable {
            var name: String
            static let codec = Codec<Inner>.object { object in
                let name = object.required("name", .trimmed(1...5), \.name, "Its \"name\".")
                return { members throws(JSONError) in Inner(name: try members[name]) }
            }
        }

        var inner: [Inner]
        var colour: Colour?
        var count: Int?

        static let codec = Codec<Outer>.object { object in
            let inner = object.required("inner", .array(of: Inner.codec), \.inner)
            let colour = object.optional("colour", .oneOf, \.colour)
            let count = object.optional("count", .integer(0...9), \.count)
            return { members throws(JSONError) in
                Outer(inner: try members[inner], colour: try members[colour], count: try members[count])
            }
        }
    }

    @Test func `an optional member may be null, and only required ones are listed`() {
        #expect(
            Outer.codec.schema.json.description == """
                {"type":"object","properties":{"inner":{"type":"array","items":{"type":"object","properties":{"name":\
                {"type":"string","minLength":1,"maxLength":5,"pattern":"^[^\\\\u0000]*[^\\\\s\\\\u0000][^\\\\u0000]*$",\
                "description":"Its \\"name\\"."}},"required":["name"]}},\
                "colour":{"anyOf":[{"type":"string","enum":["red","green"]},{"type":"null"}]},\
                "count":{"minimum":0,"maximum":9,"type":["integer","null"]}},"required":["inner"]}
                """)
    }

    @Test func `the schema of a form has no null`() {
        let schema = Outer.codec.schema.withoutNull.json.description
        #expect(schema.contains(#""count":{"minimum":0,"maximum":9,"type":"integer"}"#))
        #expect(Codec<String>.string.schema.orNull.withoutNull.json.description == #"{"type":"string"}"#)
    }

    @Test func `a text that may be empty is described without U+0000`() {
        let schema = Codec<String>.trimmed(0...5).schema.json.description
        #expect(schema == #"{"type":"string","minLength":0,"maxLength":5,"pattern":"^[^\\u0000]*$"}"#)
    }

    @Test func `a closed schema refuses unknown members at every depth`() {
        let closed = Outer.codec.schema.closed.json.description
        #expect(closed.split(separator: #""additionalProperties":false"#, omittingEmptySubsequences: false).count == 3)
        #expect(!Outer.codec.schema.json.description.contains("additionalProperties"))
    }
}
