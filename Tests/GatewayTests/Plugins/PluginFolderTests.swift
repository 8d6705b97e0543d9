import Foundation
import RPCTestKit
import Testing

@testable import gateway

@Suite struct PluginFolderTests {
    private func scan(
        _ files: [String: String]
    ) async throws -> (manifests: [PluginManifest], rejections: [PluginFolder.Rejection]) {
        try await withTemporaryDirectory { folder in
            for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
            return PluginFolder(path: folder).scan()
        }
    }

    @Test func `a manifest needs a name, a socket and contracts`() async throws {
        let (manifests, rejections) = try await scan([
            "likes.json": #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1}}"#
        ])
        #expect(rejections.isEmpty)
        #expect(
            manifests == [
                PluginManifest(
                    name: "likes", socket: "likes.sock", contracts: ["likes": 1], required: false, timeout: nil)
            ])
    }

    @Test func `a manifest may have more members`() async throws {
        let (manifests, _) = try await scan([
            "likes.json": """
            {"name":"likes","socket":"/run/likes.sock","contracts":{"likes":2},"required":true,"timeout_ms":500}
            """
        ])
        #expect(manifests.first?.timeout == 500)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"name":"x"}"#, #"{"name":"X","socket":"x.sock","contracts":{}}"#,
        #"{"name":"rpc","socket":"x.sock","contracts":{}}"#, #"{"name":"gateway","socket":"x.sock","contracts":{}}"#,
        #"{"name":"9x","socket":"x.sock","contracts":{}}"#, #"{"name":"other","socket":"x.sock","contracts":{}}"#,
        #"{"name":"x","socket":"x.sock","contracts":{"x":0}}"#,
        #"{"name":"x","socket":"x.sock","contracts":{},"timeout":5}"#,
        #"{"name":"x","socket":"x.sock","contracts":{},"enriched":[]}"#,
        #"{"name":"abcdefghijklmnopqrstuvwxyzabcdefg","socket":"x.sock","contracts":{}}"#,
    ])
    func `an invalid manifest is reported and does not affect the others`(_ text: String) async throws {
        let (manifests, rejections) = try await scan([
            "x.json": text, "good.json": #"{"name":"good","socket":"good.sock","contracts":{}}"#,
        ])
        #expect(manifests.map(\.name) == ["good"])
        #expect(rejections.count == 1 && rejections[0].file.hasSuffix("/x.json") && !rejections[0].reason.isEmpty)
    }

    private static func manifest(_ name: String, _ enrichments: [(method: String, name: String)]) -> String {
        let enriches = enrichments.map { #"{"item":"feed","method":"\#($0.method)","as":"\#($0.name)"}"# }
        return #"{"name":"\#(name)","socket":"x.sock","contracts":{},"enriches":[\#(enriches.joined(separator: ","))]}"#
    }

    @Test func `a manifest may enrich the feed`() async throws {
        let name = String(repeating: "a", count: 32)
        let (manifests, rejections) = try await scan(["x.json": Self.manifest("x", [("x.counts", name)])])
        #expect(rejections.isEmpty)
        #expect(manifests.first?.enriches == [Enrichment(item: .feed, method: "x.counts", name: name)])
    }

    @Test(
        arguments: [
            ("x.counts", "", "enriches[0].as: must be"), ("x.counts", "Likes", "enriches[0].as: must be"),
            ("x.counts", "9a", "enriches[0].as: must be"), ("x.counts", "a-b", "enriches[0].as: must be"),
            ("x.counts", String(repeating: "a", count: 33), "enriches[0].as: must be"),
            ("x.counts", "comments", "reserved for comments.counts"),
            ("y.counts", "a", "enriches[0].method: must be a method of the plugin"),
            ("x.", "a", "enriches[0].method: must be a method of the plugin"),
            ("xy.counts", "a", "enriches[0].method: must be a method of the plugin"),
        ])
    func `an invalid enrichment is refused with a reason`(method: String, name: String, reason: String) async throws {
        let (manifests, rejections) = try await scan(["x.json": Self.manifest("x", [(method, name)])])
        #expect(manifests.isEmpty && rejections.first?.reason.contains(reason) == true, "\(rejections)")
    }

    @Test func `only the feed can be enriched`() async throws {
        let text = Self.manifest("x", [("x.counts", "a")]).replacing(#""feed""#, with: #""comments""#)
        #expect(try await scan(["x.json": text]).rejections.first?.reason.contains("enriches[0].item: must be") == true)
    }

    @Test func `a name of an extension belongs to the first plugin that has it`() async throws {
        let (manifests, rejections) = try await scan([
            "a.json": Self.manifest("a", [("a.counts", "likes")]),
            "b.json": Self.manifest("b", [("b.counts", "likes")]),
        ])
        #expect(manifests.map(\.name) == ["a"])
        #expect(rejections.map(\.reason) == ["enriches: the plugin a already adds likes"])
        let twice = try await scan(["x.json": Self.manifest("x", [("x.a", "likes"), ("x.b", "likes")])])
        #expect(twice.rejections.first?.reason == "enriches[1].as: the name likes appears twice")
    }

    @Test(arguments: [4, 5]) func `a plugin adds at most four extensions`(count: Int) async throws {
        let enrichments = (1...count).map { (method: "x.counts", name: "n\($0)") }
        #expect(try await scan(["x.json": Self.manifest("x", enrichments)]).manifests.count == (count == 4 ? 1 : 0))
    }

    @Test func `all plugins add at most sixteen extensions`() async throws {
        func texts(_ last: Int) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: zip(["a", "b", "c", "d", "e"], [4, 4, 4, 4, last]).map { name, count in
                    let enrichments = (0..<count).map { (method: "\(name).counts", name: "\(name)\($0)") }
                    return ("\(name).json", Self.manifest(name, enrichments))
                })
        }
        #expect(try await scan(texts(0)).manifests.count == 5)
        let (manifests, rejections) = try await scan(texts(1))
        #expect(manifests.count == 4 && rejections.first?.reason.contains("at most 16") == true)
    }

    private static func manifest(_ name: String, _ routes: [String: String]) -> String {
        let http = routes.sorted { $0.key < $1.key }.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
        return #"{"name":"\#(name)","socket":"x.sock","contracts":{},"http":{\#(http)}}"#
    }

    @Test func `a manifest may publish methods over HTTP`() async throws {
        let (manifests, rejections) = try await scan([
            "x.json": Self.manifest(
                "x",
                ["GET /v1/likes/{id}": "x.get", "POST /v1/likes/{id}": "x.add", "GET /v1/x/{tag}/~a_b-C.9": "x.tag"])
        ])
        #expect(rejections.isEmpty)
        let routes = manifests.first?.http ?? []
        #expect(routes.map(\.key) == ["GET /v1/likes/{id}", "GET /v1/x/{tag}/~a_b-C.9", "POST /v1/likes/{id}"])
        #expect(routes.map(\.method) == ["x.get", "x.tag", "x.add"])
    }

    @Test(
        arguments: [
            ("PUT /v1/x", "x.a", "must be GET or POST"), ("get /v1/x", "x.a", "must be GET or POST"),
            ("GET  /v1/x", "x.a", "must be GET or POST"), ("GET", "x.a", "must be GET or POST"),
            ("GET /v2/x", "x.a", "must begin with /v1/"), ("GET v1/x", "x.a", "must begin with /v1/"),
            ("GET /v1/a/b/c/d/e/f/g/h", "x.a", "at most 8 parts"), ("GET /v1/", "x.a", "each part"),
            ("GET /v1/x/", "x.a", "each part"), ("GET /v1//x", "x.a", "each part"),
            ("GET /v1/../x", "x.a", "each part"),
            ("GET /v1/x?a=1", "x.a", "each part"), ("GET /v1/{X}", "x.a", "each part"),
            ("GET /v1/{x", "x.a", "each part"),
            ("GET /v1/a%20b", "x.a", "each part"), ("GET /v1/\u{E9}", "x.a", "each part"),
            ("GET /v1/{a}/{a}", "x.a", "a name twice"), ("GET /v1/x", "y.a", "must be a method of the plugin"),
            ("GET /v1/feed", "x.a", "overlaps /v1/feed of the API"),
            ("POST /v1/{a}", "x.a", "overlaps /v1/feed of the API"),
            ("GET /v1/image/likes", "x.a", "overlaps /v1/image/{id} of the API"),
        ])
    func `an invalid route is refused with a reason`(key: String, method: String, reason: String) async throws {
        let (manifests, rejections) = try await scan(["x.json": Self.manifest("x", [key: method])])
        #expect(manifests.isEmpty && rejections.first?.reason.contains(reason) == true, "\(rejections)")
    }

    @Test(arguments: [196, 197]) func `a path has at most 200 bytes`(count: Int) async throws {
        let text = Self.manifest("x", ["GET /v1/" + String(repeating: "x", count: count): "x.a"])
        #expect(try await scan(["x.json": text]).manifests.count == (count == 196 ? 1 : 0))
    }

    @Test(arguments: [16, 17]) func `a plugin publishes at most 16 methods`(count: Int) async throws {
        let routes = (0..<count).map { ("GET /v1/x/\($0)", "x.m\($0)") }
        let text = Self.manifest("x", Dictionary(uniqueKeysWithValues: routes))
        #expect(try await scan(["x.json": text]).manifests.count == (count == 16 ? 1 : 0))
    }

    @Test func `a path belongs to one method`() async throws {
        for (routes, reason) in [
            (["GET /v1/x/{a}": "x.a", "GET /v1/x/b": "x.b"], "overlaps GET /v1/x/b"),
            (["GET /v1/x/{a}": "x.a", "POST /v1/x/{b}": "x.b"], "overlaps GET /v1/x/{a}"),
            (["GET /v1/x": "x.a", "POST /v1/x": "x.a"], "x.a is already published as GET /v1/x"),
        ] {
            let rejection = try await scan(["x.json": Self.manifest("x", routes)]).rejections.first
            #expect(rejection?.reason.contains(reason) == true, "\(String(describing: rejection))")
        }
        let (manifests, rejections) = try await scan([
            "a.json": Self.manifest("a", ["GET /v1/x/{a}": "a.a"]),
            "b.json": Self.manifest("b", ["POST /v1/x/b": "b.b"]),
        ])
        #expect(manifests.map(\.name) == ["a"])
        #expect(rejections.map(\.reason) == ["http: POST /v1/x/b overlaps GET /v1/x/{a} of the plugin a"])
    }

    @Test func `a syntax error is reported with its line`() async throws {
        let (_, rejections) = try await scan(["x.json": "{\n\"name\": \"x\",\n}"])
        #expect(rejections.first?.line == 3)
    }

    @Test func `a missing folder has no plugins`() {
        #expect(PluginFolder(path: "/nonexistent").scan().manifests.isEmpty)
    }
}
