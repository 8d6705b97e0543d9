import JSON
import Testing

@Suite struct SchemaReadingTests {
    private func text(_ schema: String) throws -> String {
        "\(try JSONSchema(reading: RawJSON(checking: schema)).json)"
    }

    @Test(arguments: [
        "{}", #"{"type":"string","format":"uuid"}"#, #"{"type":["string","null"],"minLength":1,"maxLength":3}"#,
        #"{"type":"number","minimum":-1.5,"default":2}"#, #"{"enum":["a","b"],"description":"One of two."}"#,
        #"{"type":"array","items":{"type":"integer"},"minItems":1}"#,
        #"{"type":"object","properties":{"b":{},"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}"#,
        #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
    ])
    func `what this type can hold is unchanged`(schema: String) throws {
        #expect(try text(schema) == schema)
    }

    @Test(
        arguments: [
            (##"{"$ref":"#/a","$defs":{"a":{}},"type":"string"}"##, #"{"type":"string"}"#),
            (#"{"const":null,"enum":[1,2],"type":"integer"}"#, #"{"type":"integer"}"#),
            (#"{"properties":{"a":true,"b":3}}"#, #"{"properties":{"a":{},"b":{}}}"#),
            (#"{"examples":{"a":1},"prefixItems":[{}]}"#, "{}"),
        ])
    func `the rest is dropped`(schema: String, rest: String) throws {
        #expect(try text(schema) == rest)
    }

    @Test(arguments: ["3", "[]", "true", #""a""#, "null"]) func `only an object is a schema`(schema: String) {
        #expect(throws: JSONError.self) { _ = try text(schema) }
    }
}
