import CommentsContract
import FeedContract
import ImageDataContract
import JSON
import RPC
import Testing

@testable import gateway

@Suite struct SignatureTests {
    @Test func `a signature has a line for each parameter and member`() {
        #expect(
            Signature(method: FeedContract.get.description).lines.prefix(4)
                == ["feed.get(", "  id: uuid", ") → {", "  id: uuid"])
        #expect(Signature(method: FeedContract.validate.description).lines.first == "feed.validate() → {")
        #expect(Signature(method: FeedContract.watch.description).lines.contains { $0.contains("→ stream of ") })
        #expect(Signature(method: ImageDataContract.put.description).lines[1].hasPrefix("  data: bytes"))
    }

    @Test(arguments: [
        (#"{"type":"integer","minimum":1,"maximum":9}"#, "integer 1…9"), (#"{"enum":["a","b"]}"#, #""a" | "b""#),
        (#"{"type":["string","null"]}"#, "string"), (#"{"type":"array","items":{"type":"string"}}"#, "[string]"),
        (#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, "integer"), ("{}", "any"), ("true", "any"),
        (##"{"$ref":"#/missing"}"##, "#/missing"), (#"{"type":7,"properties":[]}"#, "any"),
        (#"{"type":"object","additionalProperties":{"type":"integer"}}"#, "{name: integer}"),
    ])
    func `any schema has a name, also a wrong one`(schema: String, name: String) throws {
        #expect(Signature.name(of: ParameterSchema(try RawJSON(checking: schema))) == name)
    }

    @Test func `a template is accepted as it is`() throws {
        let template = ParameterTemplate.tree(ParameterSchema(FeedContract.get.description.params)).rawJSON
        let selection = try template.read(as: FeedItemSelection.codec, refusingUnknownMembers: true)
        #expect(selection.id.uuidString == "00000000-0000-4000-8000-000000000000")
        let publish = ParameterTemplate.tree(ParameterSchema(FeedContract.publish.description.params)).rawJSON
        let items = try publish.read(as: FeedContract.publish.params, refusingUnknownMembers: true).items
        #expect(items.count == 1 && items[0].publishedAt != nil && items[0].hints.width != nil)
        let post = ParameterTemplate.tree(ParameterSchema(CommentsContract.post.description.params)).rawJSON
        #expect(try post.read(as: CommentsContract.post.params, refusingUnknownMembers: true).message == "text")
    }

    @Test(arguments: [
        (#"{"type":"string","pattern":"^[a-z]+$"}"#, #"{"a":"text"}"#),
        (#"{"type":"string","minLength":5}"#, #"{"a":"2026-03-01T12:00:00Z"}"#),
        (#"{"type":"string","pattern":"^x$"}"#, "{}"), (#"{"type":"string","pattern":"("}"#, "{}"),
        (#"{"type":"string"}"#, #"{"a":""}"#),
    ])
    func `an optional member of a template without an allowed example is left out`(schema: String, template: String)
        throws
    {
        for (required, isKept) in [("[]", false), (#"["a"]"#, true)] {
            let params = #"{"type":"object","properties":{"a":\#(schema)},"required":\#(required)}"#
            let text = "\(ParameterTemplate.tree(ParameterSchema(try RawJSON(checking: params))).json)"
            #expect(text == (isKept && template == "{}" ? #"{"a":""}"# : template))
        }
    }
}
