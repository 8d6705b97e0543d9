import JSON
import Testing

@testable import ContractKit

@Suite struct ContractDiffTests {
    private static let base = #"""
        {"name":"a","version":1,"methods":[{"name":"a.get","summary":"Get.","idempotent":true,"streams":false,
        "errors":["not_found"],
        "params":{"type":"object","properties":{"id":{"type":"string","format":"uuid"},
          "limit":{"type":["integer","null"],"minimum":1,"maximum":100},"order":{"type":"string","enum":["up","down"]}},
          "required":["id"],"additionalProperties":false},
        "result":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object",
          "properties":{"name":{"type":"string","maxLength":9}},"required":["name"]}},
          "state":{"type":"string","enum":["on","off"]},"more":{"type":"boolean"}},"required":["items","state"]}}]}
        """#

    @Test(arguments: [
        // Methods
        (#""a.get""#, #""a.load""#, "a.get: the method is removed", ContractChange.Effect.breaksCallers),
        (
            #""idempotent":true"#, #""idempotent":false"#,
            "a.get: the method is no longer idempotent: a repeated call may act twice", .breaksCallers
        ),
        (#""streams":false"#, #""streams":true"#, "a.get: the method becomes a stream", .breaksCallers),
        (#"["not_found"]"#, #"["not_found","read_only"]"#, "a.get: the error read_only is added", .breaksCallers),
        (#"["not_found"]"#, "[]", "a.get: the error not_found is removed", .compatible),
        // Parameters
        (
            #""required":["id"]"#, #""required":["id","order"]"#, "a.get params.order: the member becomes required",
            .breaksCallers
        ),
        (#""required":["id"]"#, #""required":[]"#, "a.get params.id: the member becomes optional", .compatible),
        (
            #""order":{"type":"string","enum":["up","down"]}"#, #""other":{}"#,
            "a.get params.order: the member is removed", .breaksCallers
        ),
        (#""order":{"#, #""new":{},"order":{"#, "a.get params.new: an optional member is added", .compatible),
        (#""maximum":100"#, #""maximum":50"#, "a.get params.limit: maximum changes from 100 to 50", .breaksCallers),
        (#""maximum":100"#, #""maximum":500"#, "a.get params.limit: maximum changes from 100 to 500", .compatible),
        (#""minimum":1,"#, "", "a.get params.limit: minimum changes from 1 to none", .compatible),
        (#"["up","down"]"#, #"["up"]"#, #"a.get params.order: the value "down" is removed"#, .breaksCallers),
        (#"["up","down"]"#, #"["up","down","any"]"#, #"a.get params.order: the value "any" is added"#, .compatible),
        (
            #"["integer","null"]"#, #""integer""#, "a.get params.limit: the type null is no longer allowed",
            .breaksCallers
        ),
        (
            #"["integer","null"]"#, #"["number","null"]"#, "a.get params.limit: the type number is allowed too",
            .compatible
        ),
        (#","format":"uuid""#, "", #"a.get params.id: format "uuid" is removed"#, .compatible),
        (#","additionalProperties":false"#, "", "a.get params: further members are allowed", .compatible),
        // Results
        (#","more":{"type":"boolean"}"#, "", "a.get result.more: the member is removed", .breaksReaders),
        (
            #""required":["items","state"]"#, #""required":["items"]"#,
            "a.get result.state: the member becomes optional", .breaksReaders
        ),
        (
            #""required":["items","state"]"#, #""required":["items","state","more"]"#,
            "a.get result.more: the member becomes required", .compatible
        ),
        (#""more":{"#, #""new":{},"more":{"#, "a.get result.new: an optional member is added", .compatible),
        (#"["on","off"]"#, #"["on","off","auto"]"#, #"a.get result.state: the value "auto" is added"#, .breaksReaders),
        (#"["on","off"]"#, #"["on"]"#, #"a.get result.state: the value "off" is removed"#, .compatible),
        (
            #""maxLength":9"#, #""maxLength":10"#, "a.get result.items[].name: maxLength changes from 9 to 10",
            .breaksReaders
        ),
        (#""maxLength":9"#, #""maxLength":8"#, "a.get result.items[].name: maxLength changes from 9 to 8", .compatible),
        (
            #"{"type":"boolean"}"#, #"{"type":["boolean","null"]}"#, "a.get result.more: the type null is allowed too",
            .breaksReaders
        ),
    ])
    func `a change is found, with whom it breaks`(
        before: String, after: String, change: String, effect: ContractChange.Effect
    ) throws {
        let changed = Self.base.replacing(before, with: after, maxReplacements: 1)
        #expect(changed != Self.base)
        let diff = try ContractDiff(from: JSONValue(json: Self.base), to: JSONValue(json: changed))
        let found = diff.changes.first { "\($0.path): \($0.description)" == change }
        #expect(found?.effect == effect, "\(diff.changes)")
    }

    @Test(arguments: [
        (##"{"$ref":"#/$defs/a"}"##, ##"{"$ref":"#/$defs/b"}"##, ##"$ref changes from "#/$defs/a" to "#/$defs/b""##),
        (
            #"{"$defs":{"a":{"type":"string"}}}"#, #"{"$defs":{"a":{"type":"null"}}}"#,
            #"$defs changes from {"a":{"type":"string"}} to {"a":{"type":"null"}}"#
        ),
        (
            #"{"allOf":[{"minimum":1}]}"#, #"{"allOf":[{"minimum":2}]}"#,
            #"allOf changes from [{"minimum":1}] to [{"minimum":2}]"#
        ),
        (#"{"not":{"const":1}}"#, #"{"not":{"const":2}}"#, #"not changes from {"const":1} to {"const":2}"#),
        (#"{"multipleOf":2}"#, #"{"multipleOf":3}"#, "multipleOf changes from 2 to 3"),
        ("{}", #"{"uniqueItems":true}"#, "uniqueItems changes from none to true"),
    ])
    func `a keyword that is not compared in detail breaks callers and readers`(
        old: String, new: String, text: String
    ) throws {
        #expect(try Self.changes("params", old, new) == [Self.change(.breaksCallers, "a.b params", text)])
        #expect(try Self.changes("result", old, new) == [Self.change(.breaksReaders, "a.b result", text)])
    }

    @Test(arguments: ["title", "description", "default", "examples", "$comment"])
    func `a keyword that allows and refuses no value is no change`(keyword: String) throws {
        #expect(try Self.changes("params", #"{"\#(keyword)":[1]}"#, #"{"\#(keyword)":[2]}"#) == [])
    }

    @Test(arguments: [
        ("true", "false", "no value is allowed any longer", ContractChange.Effect.breaksCallers),
        ("false", "true", "values are allowed; there were none", .compatible),
        (#"{"enum":[1],"const":1}"#, #"{"enum":[1],"const":2}"#, "the value 1 is removed", .breaksCallers),
    ])
    func `schemas without members are compared`(
        old: String, new: String, text: String, effect: ContractChange.Effect
    ) throws {
        #expect(try Self.changes("params", old, new).contains(Self.change(effect, "a.b params", text)))
    }

    private static let (cat, dog) = (#"{"type":"string"}"#, #"{"type":"integer"}"#)

    /// Alternatives that exclude each other by a member.
    private static func tagged(_ tag: String) -> String {
        #"{"type":"object","properties":{"kind":{"const":"\#(tag)"}},"required":["kind"]}"#
    }

    /// For callers, the parameters; for readers, the result.
    @Test(arguments: [
        // An alternative is added: new parameters are accepted, readers do not expect the new results.
        ("anyOf", [cat], [cat, dog], false, true), ("oneOf", [cat], [cat, dog], false, true),
        ("oneOf", [tagged("a")], [tagged("a"), tagged("b")], false, true),
        // An alternative is removed: it is the other way around.
        ("anyOf", [cat, dog], [cat], true, false), ("oneOf", [cat, dog], [cat], true, false),
        ("oneOf", [tagged("a"), tagged("b")], [tagged("a")], true, false),
        // One is replaced by another.
        ("anyOf", [cat], [dog], true, true), ("oneOf", [cat], [dog], true, true),
        // The order is no change.
        ("anyOf", [cat, dog], [dog, cat], false, false), ("oneOf", [cat, dog], [dog, cat], false, false),
        // A value may match both, so that oneOf refuses it with both and accepts it with one.
        ("anyOf", [cat], [cat, #"{"maxLength":3}"#], false, true),
        ("oneOf", [cat], [cat, #"{"maxLength":3}"#], true, true),
        ("oneOf", [cat, #"{"maxLength":3}"#], [cat], true, true),
        ("oneOf", [dog], [dog, #"{"type":"number"}"#], true, true),
        ("oneOf", [#"{"const":1}"#], [#"{"const":1}"#, #"{"enum":[2,1.0]}"#], true, true),
        ("oneOf", [#"{"const":1}"#], [#"{"const":1}"#, #"{"enum":[2,3]}"#], false, true),
        ("oneOf", [tagged("a")], [tagged("a"), tagged("a").replacing("const", with: "title")], true, true),
        // All alternatives are added or removed.
        ("anyOf", [], [cat], true, false), ("oneOf", [], [cat], true, false), ("anyOf", [cat], [], false, true),
        ("oneOf", [cat], [], false, true),
    ])
    func `a change of alternatives breaks callers in parameters, and readers in results`(
        keyword: String, before: [String], after: [String], breaksCallers: Bool, breaksReaders: Bool
    ) throws {
        func schema(_ alternatives: [String]) -> String {
            alternatives.isEmpty ? "{}" : #"{"\#(keyword)":[\#(alternatives.joined(separator: ","))]}"#
        }
        func effects(_ member: String) throws -> Set<ContractChange.Effect> {
            Set(try Self.changes(member, schema(before), schema(after)).map(\.effect).filter { $0 != .compatible })
        }
        #expect(try effects("params") == (breaksCallers ? [.breaksCallers] : []))
        #expect(try effects("result") == (breaksReaders ? [.breaksReaders] : []))
    }

    @Test func `only so many alternatives are compared with each other`() throws {
        func schema(_ count: Int) -> String {
            #"{"oneOf":[\#((0..<count).map { #"{"const":\#($0)}"# }.joined(separator: ","))]}"#
        }
        let most = SchemaDiff.maximumAlternatives
        #expect(try Self.changes("params", schema(most - 1), schema(most)).map(\.effect) == [.compatible])
        #expect(try Self.changes("params", schema(most), schema(most + 1)).map(\.effect) == [.breaksCallers])
    }

    @Test func `a required member without a description is compared`() throws {
        let (without, with) = ("{}", #"{"required":["x"]}"#)
        #expect(
            try Self.changes("params", without, with) == [
                Self.change(.breaksCallers, "a.b params.x", "the member becomes required")
            ])
        #expect(
            try Self.changes("result", with, without) == [
                Self.change(.breaksReaders, "a.b result.x", "the member becomes optional")
            ])
    }

    /// The changes of one schema of a contract with one method.
    private static func changes(_ member: String, _ old: String, _ new: String) throws -> [ContractChange] {
        func contract(_ schema: String) throws -> JSONValue {
            try JSONValue(json: #"{"name":"a","version":1,"methods":[{"name":"a.b","\#(member)":\#(schema)}]}"#)
        }
        return try ContractDiff(from: contract(old), to: contract(new)).changes
    }

    private static func change(_ effect: ContractChange.Effect, _ path: String, _ text: String) -> ContractChange {
        ContractChange(effect: effect, path: path, description: text)
    }

    @Test func `a required parameter that is added breaks callers`() throws {
        let changed = Self.base.replacing(#""order":{"#, with: #""new":{},"order":{"#)
            .replacing(#""required":["id"]"#, with: #""required":["id","new"]"#)
        let diff = try ContractDiff(from: JSONValue(json: Self.base), to: JSONValue(json: changed))
        #expect(diff.changes.map(\.description) == ["a required member is added"])
        #expect(diff.isBreaking)
    }

    @Test func `texts for people are no changes`() throws {
        let changed = Self.base.replacing("Get.", with: "Return.").replacing(
            #""maximum":100"#, with: #""maximum":100,"description":"At most.""#)
        #expect(try ContractDiff(from: JSONValue(json: Self.base), to: JSONValue(json: changed)).changes == [])
    }

    @Test(arguments: ["1", "{}", #"{"name":"a","methods":[{}]}"#])
    func `what is not a contract is refused`(text: String) {
        #expect(throws: ContractMistake.self) {
            try ContractDiff(from: JSONValue(json: Self.base), to: JSONValue(json: text))
        }
    }
}
