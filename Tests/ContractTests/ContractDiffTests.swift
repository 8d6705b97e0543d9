import ContractKit
import Testing

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
