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

    @Test func `a template has every member, and is accepted where its values are`() throws {
        let template = ParameterTemplate.tree(ParameterSchema(FeedContract.get.description.params)).rawJSON
        let selection = try template.read(as: FeedItemSelection.codec, refusingUnknownMembers: true)
        #expect(selection.id.uuidString == "00000000-0000-4000-8000-000000000000")
        #expect(
            "\(ParameterTemplate.tree(ParameterSchema(FeedContract.publish.description.params)).json)".hasPrefix(
                #"{"items":[{"id":"#))
    }
}
