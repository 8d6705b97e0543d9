import JSON
import Testing

@testable import ContractKit

@Suite struct SchemaCheckTests {
    @Test(arguments: [
        (##"{"$ref":"#"}"##, "#: the schema refers to itself"),
        (##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##, "refers to itself"),
        (##"{"not":{"$ref":"#"}}"##, "refers to itself"),
        (##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##, "refers to itself"),
        (##"{"properties":{"a":{"$ref":"#/$defs/x"}}}"##, "#/properties/a: $ref #/$defs/x has no target"),
        (##"{"$defs":{"a":{"$ref":"#/$defs/x"}}}"##, "#/$defs/a: $ref #/$defs/x has no target"),
        (##"{"items":{"$ref":"other.json"}}"##, ##"#/items: $ref is "other.json"; write # or #/$defs/NAME"##),
        (##"{"$ref":7}"##, "#: $ref is 7; write #"),
    ])
    func `a reference without a target or end is refused with its place`(schema: String, reason: String) throws {
        let schema = try JSONValue(json: schema)
        let mistake = #expect(throws: ContractMistake.self) { try SchemaReferences.check(schema) }
        #expect(mistake?.description.contains(reason) == true, "\(mistake as Any)")
    }

    @Test func `a schema may refer to itself for the parts of a value`() throws {
        let schema = try JSONValue(json: ##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##)
        try SchemaReferences.check(schema)
        let (right, wrong) = (try JSONValue(json: #"{"a":{"a":{}}}"#), try JSONValue(json: #"{"a":{"a":1}}"#))
        #expect(SchemaCheck(schema).differences(right) == [])
        #expect(SchemaCheck(schema).differences(wrong).map(\.description) == ["value.a.a must be object, is 1"])
    }

    @Test func `a reference may lead to an element and to a name with a slash`() throws {
        let schema = try JSONValue(
            json: ##"{"allOf":[{"type":"integer"},{"$ref":"#/$defs/a~1b"}],"$defs":{"a/b":{"$ref":"#/allOf/0"}}}"##)
        try SchemaReferences.check(schema)
        #expect(SchemaCheck(schema).differences("x").count == 2)
    }

    @Test func `schemas that follow each other for one value are limited`() throws {
        func chain(_ length: Int) throws -> JSONValue {
            let links = (1..<length).map { ##""\##($0)":{"$ref":"#/$defs/\##($0 + 1)"}"## }
            let names = (links + [#""\#(length)":{}"#]).joined(separator: ",")
            return try JSONValue(json: ##"{"$defs":{\##(names)}}"##)
        }
        try SchemaReferences.check(chain(SchemaReferences.longestChain))
        let longer = try chain(SchemaReferences.longestChain + 1)
        #expect(throws: ContractMistake.self) { try SchemaReferences.check(longer) }
    }

    @Test func `the steps are limited`() throws {
        let schema: JSONValue = ["items": ["type": "integer"]]
        let check = SchemaCheck(schema, maximumSteps: 100)
        // One step for the list, one for each element.
        #expect(check.differences(.array(Array(repeating: 1, count: 99))) == [])
        let differences = check.differences(.array(Array(repeating: 1, count: 100)))
        #expect(differences.count == 1)
        #expect(differences.first?.reason.hasPrefix("cannot be compared with its schema in 100 steps") == true)
    }

    @Test func `alternatives that take exponential time end`() throws {
        let part = ##"{"properties":{"a":{"$ref":"#"}},"required":["b"]}"##
        let schema = try JSONValue(json: #"{"anyOf":[\#(part),\#(part)]}"#)
        try SchemaReferences.check(schema)
        let value = try JSONValue(
            json: String(repeating: #"{"a":"#, count: 30) + "{}" + String(repeating: "}", count: 30))
        let reason = SchemaCheck(schema).differences(value).first?.reason
        #expect(reason?.hasPrefix("cannot be compared with its schema") == true)
    }

    @Test(arguments: [
        (#"{"error":{"code":-32004}}"#, "likes.add", true), (#"{"error":{"code":-32009}}"#, "likes.add", false),
        (#"{"error":{"code":-32008,"data":{"kind":"permission_denied"}}}"#, "likes.get", true),
        (#"{"error":{"code":-32602}}"#, "likes.get", false), (#"{"error":{"code":-32003}}"#, "likes.get", false),
        (#"{"error":{"code":1,"data":{"kind":"own"}}}"#, "likes.get", true),
        (#"{"items":[],"end":{"error":{"code":-32004}}}"#, "likes.get", true),
        (#"{"error":{"code":-32004}}"#, "likes.unknown", false),
    ])
    func `an error must be declared by its method, or one of every method`(
        answer: String, method: String, isViolation: Bool
    ) throws {
        let violations = try suite("likes").violations(of: JSONValue(json: answer), to: method)
        #expect(violations.map(\.path) == (isViolation ? ["error.kind"] : []))
    }

    @Test func `an excerpt ends at its limit`() throws {
        let limit = JSONValue.excerptLength
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "é", count: count - 2)) }
        #expect(text(limit).excerpt == text(limit).json)
        #expect(text(limit + 1).excerpt == text(limit + 1).json.dropLast() + "…")
        let value = try JSONValue(json: #"{"a":[1,null,true,"x\"y",{}],"b":1.50}"#)
        #expect(value.excerpt == value.json)
        // Only the beginning of a large value is written.
        let large: JSONValue = ["a": .array(Array(repeating: text(1_000_000), count: 1_000))]
        #expect(large.excerpt.unicodeScalars.count == limit + 1)
    }
}
