import Foundation
import HTTPTypes
import JSON
import NIOCore
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The methods that plugins publish over HTTP.
struct PublishedRouteTests {
    private static let id = UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01")!
    private static let token = "a-token-of-the-tests-0123456789"

    /// Parameters of several types, each optional but the id.
    private struct Params: Sendable {
        let id: UUID
        let name: String?
        let limit: Int?
        let scale: Double?
        let isNew: Bool?
        let numbers: [Int]?

        static let codec = Codec<Params>.object { object in
            let id = object.required("id", .uuid, \.id)
            let name = object.optional("name", .string, \.name, "The name <of> the tag.")
            let limit = object.optional("limit", .integer(1...9), \.limit)
            let scale = object.optional("scale", .number(), \.scale)
            let isNew = object.optional("is_new", .boolean, \.isNew)
            let numbers = object.optional("numbers", .array(of: .integer()), \.numbers)
            return { members throws(JSONError) in
                Params(
                    id: try members[id], name: try members[name], limit: try members[limit],
                    scale: try members[scale], isNew: try members[isNew], numbers: try members[numbers])
            }
        }
    }

    /// A plugin whose methods answer with their parameters.
    private static func tags(
        _ answer: @escaping @Sendable (Params) async throws -> RawJSON = { RawJSON($0, as: Params.codec) }
    ) throws -> FakePlugin {
        let methods = ["tags.get", "tags.put"].map {
            Method($0, "Return \($0).", params: Params.codec, answer: Codec<RawJSON>.any)
        }
        var table = MethodTable(Contract(name: "tags", version: 1, methods: methods.map(\.description)))
        for method in methods { table.handle(method) { params, _ in try await answer(params) } }
        return FakePlugin(manifest: try manifest, table: table)
    }

    private static var manifest: PluginManifest {
        get throws {
            let text = """
                {"name":"tags","socket":"tags.sock","contracts":{},\
                "http":{"GET /v1/tags/{id}":"tags.get","POST /v1/tags/{id}/{name}":"tags.put"}}
                """
            return try RawJSON(checking: text).read(as: PluginManifest.codec)
        }
    }

    /// A plugin that answers any parameters with themselves.
    private static func echo(_ contract: Contract) throws -> FakePlugin {
        var table = MethodTable(contract)
        table.handle(Method("tags.get", "", params: Codec<RawJSON>.any, answer: Codec<RawJSON>.any)) { params, _ in
            params
        }
        return FakePlugin(manifest: try manifest, table: table)
    }

    private static func services(_ plugins: FakePlugin...) -> FakeServices {
        var services = FakeServices()
        services.plugins = plugins
        return services
    }

    private static let fields = ["Authorization: Bearer \(token)", "Content-Type: application/json"]

    // MARK: Reading

    @Test func `parameters of the path and the query have the types of the schema`() async throws {
        try await RunningAPI.with(Self.services(Self.tags())) { api async throws in
            let query = "limit=3&scale=-1.5&is_new=true&numbers=1,2&name=3&other=x"
            let reply = try await api.exchange("/v1/tags/\(Self.id.uuidString.lowercased())?\(query)")
            let result = #"{"id":"\#(Self.id)","name":"3","limit":3,"scale":-1.5,"is_new":true,"numbers":[1,2]}"#
            #expect(reply.text == result && reply.status == 200)
            #expect(reply["Content-Type"] == "application/json" && reply["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func `an answer has an entity tag and can be compressed`() async throws {
        let plugin = try Self.tags { _ in RawJSON(String(repeating: "x", count: 2_000), as: .string) }
        try await RunningAPI.with(Self.services(plugin)) { api async throws in
            let path = "/v1/tags/\(Self.id)"
            let tag = try #require(try await api.exchange(path)["ETag"])
            let known = try await api.exchange(path, ["If-None-Match: \(tag)"])
            #expect(known.status == 304 && known.body.isEmpty)
            #expect(try await api.exchange(path, ["Accept-Encoding: gzip"])["Content-Encoding"] == "gzip")
            let head = try await api.exchange(path, method: "HEAD")
            #expect(head.status == 200 && head["ETag"] == tag)
        }
    }

    @Test(
        arguments: [
            ("limit=x", "limit: must be a whole number"), ("limit=1.5", "limit: must be a whole number"),
            ("limit=", "limit: must be a whole number"), ("limit=0", "limit: must be from 1 to 9"),
            ("limit=1&limit=2", "limit: must not appear more than once"), ("scale=x", "scale: must be a number"),
            ("is_new=1", "is_new: must be true or false"), ("numbers=1,x", "numbers: must be a whole number"),
            ("name=%FF", "name: must have a valid percent-encoded value"), ("id=1", "id: is given by the path"),
        ])
    func `an invalid parameter is refused with its name`(query: String, detail: String) async throws {
        try await RunningAPI.with(Self.services(Self.tags())) { api async throws in
            let reply = try await api.exchange("/v1/tags/\(Self.id)?\(query)")
            #expect(try reply.status == 400 && reply.member("detail")?.hasPrefix(detail) == true, "\(reply.text)")
            #expect(try reply.member("kind") == "invalid_params")
        }
    }

    @Test func `without a description every parameter is a text`() async throws {
        let plugin = try Self.echo(Contract(name: "tags", version: 1, methods: []))
        try await RunningAPI.with(Self.services(plugin)) { api async throws in
            let reply = try await api.exchange("/v1/tags/\(Self.id)?limit=3&b=true&a=%22%0A")
            #expect(reply.text == #"{"a":"\"\n","b":"true","id":"\#(Self.id)","limit":"3"}"#)
        }
    }

    @Test(
        arguments: [
            (.notFound, 404), (.alreadyExists, 409), (.internalError, 500), (.invalidData, 502), (.invalidParams, 400),
        ] as [(ErrorKind, Int)])
    func `an error becomes a problem document, with the plugin's words about the object of the request`(
        kind: ErrorKind, status: Int
    ) async throws {
        var plugin = try Self.tags()
        let method = Method(
            "tags.get", "", params: Params.codec, answer: Codec<RawJSON>.any, errors: ErrorKind.allCases)
        plugin.table = MethodTable(Contract(name: "tags", version: 1, methods: [method.description]))
        plugin.table.handle(method) { _, _ in throw RPCError(kind, "params.id: /home/ana") }
        let isShown = [.notFound, .alreadyExists, .invalidParams].contains(kind)
        try await RunningAPI.with(Self.services(plugin)) { api async throws in
            let reply = try await api.exchange("/v1/tags/\(Self.id)")
            #expect(reply.status == status && reply["Content-Type"] == "application/problem+json")
            #expect(try reply.member("kind") == kind.rawValue && reply.member("trace_id") != nil)
            #expect(try (reply.member("detail") == "id: /home/ana") == isShown, "\(reply.text)")
            #expect(isShown || !reply.text.contains("/home/ana"))
        }
    }

    @Test func `a plugin that is down is unavailable, and its paths still exist`() async throws {
        var services = Self.services(try Self.tags())
        services.down = ["tags"]
        try await RunningAPI.with(services) { api async throws in
            #expect(try await api.exchange("/v1/tags/\(Self.id)").status == 503)
            #expect(try await api.exchange("/openapi.json").text.contains("/v1/tags/{id}"))
            #expect(try await api.exchange("/v1/feed").status == 200)
        }
    }

    @Test(arguments: [0, 1]) func `a result has at most a mebibyte`(excess: Int) async throws {
        let text = String(repeating: "x", count: 1_024 * 1_024 - 2 + excess)
        let plugin = try Self.tags { _ in RawJSON(text, as: .string) }
        try await RunningAPI.with(Self.services(plugin)) { api async throws in
            let reply = try await api.exchange("/v1/tags/\(Self.id)")
            #expect(reply.status == (excess == 0 ? 200 : 502))
        }
    }

    @Test func `other methods and paths are refused as in the rest of the API`() async throws {
        try await RunningAPI.with(Self.services(Self.tags())) { api async throws in
            let other = try await api.exchange("/v1/tags/\(Self.id)", method: "DELETE")
            #expect(other.status == 405 && other["Allow"] == "GET, HEAD, OPTIONS")
            for path in ["/v1/tags", "/v1/tags/x", "/v1/tags/\(Self.id)/a/b", "/v1/others/\(Self.id)"] {
                #expect(try await api.exchange(path).status == 404, "\(path)")
            }
        }
    }

    // MARK: Writing

    @Test func `a post calls the method with the members of its body`() async throws {
        try await RunningAPI.with(Self.services(Self.tags()), writeToken: WriteToken(Self.token)) { api async throws in
            let reply = try await api.post("/v1/tags/\(Self.id)/sea?limit=1", Self.fields, #"{"limit":3}"#)
            #expect(reply.status == 200 && reply.text == #"{"id":"\#(Self.id)","name":"sea","limit":3}"#)
            #expect(reply["Cache-Control"] == "no-store" && reply["Access-Control-Allow-Origin"] == nil)
            #expect(try await api.post("/v1/tags/\(Self.id)/sea", [Self.fields[0]], "").status == 200)
        }
    }

    @Test(
        arguments: [
            ([], "{}", 401), (["Authorization: Bearer wrong-wrong-wrong-wrong"], "{}", 401),
            (fields + ["Origin: https://other.example"], "{}", 403),
            ([fields[0], "Content-Type: text/plain"], "{}", 415),
            ([fields[0], "Content-Type: application/x-www-form-urlencoded"], "limit=1", 415),
            (fields + ["Content-Encoding: gzip"], "{}", 415),
            (fields, "[]", 400), (fields, "{", 400), (fields, #"{"limit":1,"limit":1}"#, 400),
            (fields, #"{"name":"a"}"#, 400), (fields, #"{"limit":"1"}"#, 400),
            (fields, "\"" + String(repeating: "x", count: HTTPLimits.bodyBytes) + "\"", 413),
        ] as [([String], String, Int)])
    func `an invalid post is refused before the method is called`(
        fields: [String], body: String, status: Int
    ) async throws {
        let plugin = try Self.tags { _ in
            Issue.record("called")
            return .emptyObject
        }
        try await RunningAPI.with(Self.services(plugin), writeToken: WriteToken(Self.token)) { api async throws in
            let reply = try await api.post("/v1/tags/\(Self.id)/sea", fields, body)
            #expect(reply.status == status, "\(reply.text)")
            #expect(reply["WWW-Authenticate"] == (status == 401 ? "Bearer" : nil))
        }
    }

    @Test func `without a token there are no posts`() async throws {
        try await RunningAPI.with(Self.services(Self.tags())) { api async throws in
            let reply = try await api.post("/v1/tags/\(Self.id)/sea", Self.fields, "{}")
            #expect(try reply.status == 403 && reply.member("kind") == "permission_denied")
        }
    }

    // MARK: Description

    @Test func `the description of the API has the methods with their schemas`() async throws {
        try await RunningAPI.with(Self.services(Self.tags())) { api async throws in
            let reply = try await api.exchange("/openapi.json")
            let document = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            let get = try #require(paths["/v1/tags/{id}"]?["get"])
            #expect(get["operationId"] as? String == "tags.get" && get["summary"] as? String == "Return tags.get.")
            let parameters = try #require(get["parameters"] as? [[String: Any]])
            let names = parameters.compactMap { $0["name"] as? String }
            #expect(names == ["id", "name", "limit", "scale", "is_new", "numbers"])
            let places = parameters.compactMap { $0["in"] as? String }
            #expect(places == ["path"] + Array(repeating: "query", count: 5))
            #expect(reply.text.contains(#""minimum":1,"maximum":9"#))
            let post = try #require(paths["/v1/tags/{id}/{name}"]?["post"])
            #expect(post["security"] != nil && (post["parameters"] as? [Any])?.count == 2)
            #expect((post["requestBody"] as? [String: Any])?["required"] as? Bool == true)
            #expect(paths["/v1/feed"] != nil)
        }
    }

    @Test func `the page of the description has them too`() async throws {
        try await RunningAPI.with(Self.services(Self.tags())) { api async throws in
            let text = try await api.exchange("/docs", ["Accept: text/html"]).text
            for word in ["GET /v1/tags/{id}", "POST /v1/tags/{id}/{name}"] {
                #expect(text.contains("<code>\(word)</code>"))
            }
            #expect(text.contains("The name &lt;of&gt; the tag.") && text.contains("integer or null 1…9"))
        }
    }

    private static let hostileSchemas = [
        "3", "[]", #"{"properties":[]}"#, #"{"type":7,"properties":{"id":true,"a":{"$ref":"x","type":[1]}}}"#,
        String(repeating: #"{"items":"#, count: 50) + "{}" + String(repeating: "}", count: 50),
        #"{"description":"\#(String(repeating: "x", count: RecentContracts.methodBytes))"}"#,
    ]

    @Test(arguments: hostileSchemas.indices) func `a hostile description harms no document`(index: Int) async throws {
        let schema = Self.hostileSchemas[index]
        let contract = """
            {"name":"tags","version":1,"methods":[{"name":"tags.get","summary":"<script>","params":\(schema),\
            "result":\(schema),"idempotent":true,"streams":false,"errors":[]}]}
            """
        let plugin = try Self.echo(try RawJSON(checking: contract).read(as: Contract.codec))
        try await RunningAPI.with(Self.services(plugin)) { api async throws in
            let reply = try await api.exchange("/openapi.json")
            #expect(reply.status == 200 && reply.text.contains("/v1/tags/{id}"))
            _ = try JSONSerialization.jsonObject(with: Data(reply.body))
            #expect(!reply.text.contains("$ref") && reply.body.count < 60_000)
            let docs = try await api.exchange("/docs", ["Accept: text/html"])
            #expect(docs.status == 200 && !docs.text.contains("<script>"))
            #expect(try await api.exchange("/v1/tags/\(Self.id)").status == 200)
        }
    }
}
