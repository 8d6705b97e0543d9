import JSON
import RPC
import Testing

@testable import gateway

/// What a manifest names, beside what its plugin describes.
@Suite struct PluginManifestDescriptionTests {
    private static func manifest(enriches: String? = nil, http: [String: String] = [:]) throws -> PluginManifest {
        let enriches = enriches.map { #"{"item":"feed","method":"\#($0)","as":"likes"}"# } ?? ""
        let routes = http.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
        return try RawJSON(
            checking:
                #"{"name":"likes","socket":"x","contracts":{},"enriches":[\#(enriches)],"http":{\#(routes)}}"#
        ).read(as: PluginManifest.codec)
    }

    private static func method(_ name: String, params: String = #"{"type":"object"}"#) throws -> MethodDescription {
        try RawJSON(
            checking:
                #"{"name":"\#(name)","summary":"","params":\#(params),"result":{},"idempotent":true,"streams":false,"errors":[]}"#
        ).read(as: MethodDescription.codec)
    }

    @Test func `a method that is not described is a fault, with the nearest one that is`() throws {
        let manifest = try Self.manifest(enriches: "likes.cuonts", http: ["GET /v1/likes/{id}": "likes.fetch"])
        let methods = [try Self.method("likes.counts"), try Self.method("likes.get"), try Self.method("other.fetch")]
        #expect(
            manifest.faults(beside: methods) == [
                "enriches: the plugin does not describe likes.cuonts; did you mean likes.counts?",
                "http: GET /v1/likes/{id}: the plugin does not describe likes.fetch",
            ])
    }

    @Test func `what is described is no fault, and neither is anything when the plugin describes no method`() throws {
        let manifest = try Self.manifest(enriches: "likes.counts", http: ["GET /v1/likes/{id}": "likes.get"])
        let properties = #"{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}"#
        let methods = [try Self.method("likes.counts"), try Self.method("likes.get", params: properties)]
        #expect(manifest.faults(beside: methods) == [])
        #expect(manifest.faults(beside: []) == [])
    }

    @Test func `a variable of a path that is no parameter of the method is a fault`() throws {
        let manifest = try Self.manifest(http: ["GET /v1/likes/{di}/{tag}": "likes.get"])
        let properties = #""properties":{"id":{"type":"string"}}"#
        for schema in [#"{"type":"object",\#(properties)}"#, #"{\#(properties),"additionalProperties":false}"#] {
            #expect(
                manifest.faults(beside: [try Self.method("likes.get", params: schema)]) == [
                    "http: GET /v1/likes/{di}/{tag}: likes.get has no parameter di; did you mean {id}?",
                    "http: GET /v1/likes/{di}/{tag}: likes.get has no parameter tag",
                ])
        }
    }

    @Test(arguments: [
        "{}", #"{"type":"object"}"#, #"{"properties":{},"additionalProperties":true}"#,
        #"{"properties":{},"additionalProperties":{"type":"string"}}"#, "[]", "true",
    ])
    func `a schema that does not list the parameters, or permits others, says nothing about them`(
        schema: String
    ) throws {
        let manifest = try Self.manifest(http: ["GET /v1/likes/{id}": "likes.get"])
        #expect(manifest.faults(beside: [try Self.method("likes.get", params: schema)]) == [])
    }

    @Test func `a hostile description cannot control the terminal`() throws {
        let manifest = try Self.manifest(enriches: "likes.abcdef")
        let fault = manifest.faults(beside: [try Self.method(#"likes.abcdef\u001b"#)]).first
        #expect(fault?.contains("did you mean likes.abcdef") == true && fault?.contains("\u{1B}") == false)
    }
}
