import Foundation
import JSON
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

@Suite struct PluginFolderTests {
    private func scan(
        _ files: [String: String]
    ) async throws -> (manifests: [PluginManifest], rejections: [FileRejection]) {
        try await withTemporaryDirectory { folder in
            for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
            let scan = PluginFolder(path: folder).scan()
            #expect(!scan.hasLinks && scan.isComplete)
            let choice = PluginChoice(scan, after: [])
            let refused = choice.refused.map { FileRejection(file: $0.manifest.file, reason: $0.reason) }
            return (choice.manifests, scan.rejections + refused)
        }
    }

    /// The reason why `x.json` is not used, after `make` has made it.
    private func refusal(_ make: (_ file: String) throws -> Void) async throws -> String? {
        try await withTemporaryDirectory { folder in
            try make(folder + "/x.json")
            let scan = PluginFolder(path: folder).scan()
            #expect(scan.manifests.isEmpty && scan.rejections.count == 1)
            return scan.rejections.first?.reason
        }
    }

    private static let text = #"{"name":"x","socket":"x.sock","contracts":{}}"#

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
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

    @Test func `a manifest may begin with a byte order mark`() async throws {
        let (manifests, rejections) = try await scan(["x.json": "\u{FEFF}" + Self.text])
        #expect(manifests.map(\.name) == ["x"] && rejections.isEmpty)
    }

    @Test func `of a doubled member of a manifest the last value counts`() async throws {
        let (manifests, rejections) = try await scan([
            "x.json": """
            {"name":"feed","name":"x","socket":"y","socket":"x.sock","contracts":{"z":1},"contracts":{"x":9,"x":1},
            "http":{"GET /v1/x":"x.a","GET /v1/x":"x.b"}}
            """
        ])
        #expect(rejections.isEmpty)
        #expect(manifests.map(\.name) == ["x"] && manifests.map(\.socket) == ["x.sock"])
        #expect(manifests.first?.contracts == ["x": 1] && manifests.first?.http.map(\.method) == ["x.b"])
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
        #expect(rejections.map(\.reason) == ["enriches: a.json already adds likes; choose another name for \"as\""])
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

    @Test(arguments: [8, 9]) func `a path has at most eight parts`(count: Int) async throws {
        let text = Self.manifest("x", ["GET /v1" + String(repeating: "/x", count: count - 1): "x.a"])
        #expect(try await scan(["x.json": text]).manifests.count == (count == 8 ? 1 : 0))
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
        #expect(rejections.map(\.reason) == ["http: POST /v1/x/b overlaps GET /v1/x/{a} of a.json"])
    }

    @Test(arguments: [
        ("{\n\"name\": \"x\",\n}", 3),
        ("{\"name\":\"x\",\n\"socket\":\"x.sock\",\n\"contracts\":{},\n\"timeout\":5}", 4),
        ("{\"name\":\"x\",\"socket\":\"x.sock\",\n\"contracts\":{\n\"x\":0}}", 3),
        ("{\"name\":\"x\",\n\"socket\":\"x.sock\"}", nil),
    ])
    func `a fault is reported with its line`(text: String, line: Int?) async throws {
        let (_, rejections) = try await scan(["x.json": text])
        #expect(rejections.count == 1 && rejections.first?.line == line)
    }

    @Test func `a manifest may allow several versions of a contract`() async throws {
        let (manifests, _) = try await scan([
            "x.json": #"{"name":"x","socket":"x.sock","contracts":{"a":2,"b":{"min":1,"max":3}}}"#
        ])
        #expect(manifests.first?.contracts == ["a": 2, "b": ContractVersions(1...3)])
        let (_, rejections) = try await scan([
            "x.json": #"{"name":"x","socket":"x.sock","contracts":{"b":{"min":2,"max":1}}}"#
        ])
        #expect(rejections.first?.reason == "contracts.b.max: must be at least min, which is 2")
    }

    @Test func `copies and temporary files of editors are not manifests`() async throws {
        let (manifests, rejections) = try await scan([
            "x.json~": "{", ".x.json.swp": "{", ".x.json": "{", "#x.json#": "{", "x.json.new": "{", "README": "",
        ])
        #expect(manifests.isEmpty && rejections.isEmpty)
    }

    // MARK: Programs

    private func rejection(ofRun run: String, name: String = "x") async throws -> String? {
        let text = #"{"name":"\#(name)","socket":"x.sock","contracts":{},"run":\#(run)}"#
        let (manifests, rejections) = try await scan(["\(name).json": text])
        #expect(manifests.count + rejections.count == 1)
        return rejections.first?.reason
    }

    @Test(arguments: [1, 64]) func `a manifest may name a program with arguments`(count: Int) async throws {
        let words = Array(repeating: "a b", count: count)
        #expect(try await rejection(ofRun: "\(RawJSON(words, as: .array(of: .string)))") == nil)
    }

    @Test(arguments: [0, 65]) func `a program has 1 to 64 words`(count: Int) async throws {
        let words = Array(repeating: "a", count: count)
        #expect(try await rejection(ofRun: "\(RawJSON(words, as: .array(of: .string)))")?.hasPrefix("run: ") == true)
    }

    @Test(arguments: [#""a""#, "[1]", #"["a\u0000"]"#, #"["a\ud800"]"#, "{}"])
    func `what cannot be run is refused`(run: String) async throws {
        #expect(try await rejection(ofRun: run) != nil)
    }

    @Test(arguments: ["feed", "comments", "image-data"])
    func `a plugin with the name of a program of the deployment has no program`(name: String) async throws {
        let reason = try await rejection(ofRun: #"["a"]"#, name: name)
        #expect(reason == "run: the deployment itself has a program named \(name)")
        #expect(try await rejection(ofRun: "null", name: name) == nil)
    }

    // MARK: Files that are none

    @Test func `a directory is refused`() async throws {
        let reason = try await refusal {
            try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false)
        }
        #expect(reason == "is not a file")
    }

    @Test func `a FIFO is refused, and nothing waits for its writer`() async throws {
        let reason = try await refusal { #expect(mkfifo($0, 0o600) == 0) }
        #expect(reason == "is not a file")
    }

    @Test func `a loop of symbolic links is refused`() async throws {
        let reason = try await refusal { #expect(symlink($0, $0) == 0) }
        #expect(reason == "cannot be opened: Too many levels of symbolic links")
    }

    @Test func `a symbolic link to a manifest is one`() async throws {
        try await withTemporaryDirectory { folder in
            try Self.write(Self.text, to: folder + "/original")
            #expect(symlink("original", folder + "/x.json") == 0)
            let scan = PluginFolder(path: folder).scan()
            #expect(scan.manifests.count == 1 && scan.rejections.isEmpty && scan.hasLinks)
        }
    }

    @Test func `a file up to the limit is read, and a larger one is refused`() async throws {
        let padding = String(repeating: " ", count: OwnedFile.maximumBytes - Self.text.utf8.count)
        let (manifests, _) = try await scan(["x.json": Self.text + padding])
        #expect(manifests.count == 1)
        let reason = try await refusal { try Self.write(Self.text + padding + " ", to: $0) }
        #expect(reason == "has more than 65536 bytes")
    }

    @Test func `text that is not UTF-8 is refused`() async throws {
        let reason = try await refusal {
            try Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]).write(to: URL(fileURLWithPath: $0))
        }
        #expect(reason?.contains("UTF-8") == true, "\(reason ?? "none")")
    }

    @Test func `a file that every user can change is refused`() async throws {
        let reason = try await refusal {
            try Self.write(Self.text, to: $0)
            #expect(chmod($0, 0o666) == 0)
        }
        #expect(reason == "can be changed by every user; remove the permission with chmod o-w")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func `a file of another user is refused`() async throws {
        let reason = try await refusal {
            try Self.write(Self.text, to: $0)
            #expect(chown($0, 65534, 65534) == 0)
        }
        #expect(reason == "belongs to user 65534; it must belong to the program's user or root")
    }

    @Test func `the name of a file cannot forge a line of the log`() async throws {
        let (_, rejections) = try await scan(["x\nplugin x was added.json": "{"])
        #expect(rejections.first.map { "\($0)".contains("\n") } == false)
    }

    @Test func `a missing folder has no plugins`() {
        let scan = PluginFolder(path: "/nonexistent").scan()
        #expect(scan.manifests.isEmpty && scan.rejections.isEmpty && scan.isComplete)
    }

    @Test func `a folder that cannot be read is reported, and its content is unknown`() async throws {
        try await withTemporaryDirectory { folder in
            try Self.write("", to: folder + "/plugins.d")
            let scan = PluginFolder(path: folder + "/plugins.d").scan()
            #expect(!scan.isComplete && scan.rejections.first?.reason == "cannot be read: Not a directory")
        }
    }
}
