import Foundation
import JSON
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// Which manifests are in force.
@Suite struct ManifestSourceTests {
    private func withSource(_ body: (ManifestSource) async throws -> Void) async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: false)
            try await body(ManifestSource(of: Root(root), ownSocket: root + "/run/gateway.sock"))
        }
    }

    private static func write(_ text: String?, to name: String, of source: ManifestSource) throws {
        let file = "\(source.folder.path)/\(name).json"
        guard let text else { return try FileManager.default.removeItem(atPath: file) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    private static func manifest(_ name: String, path: String, run: String = "./a") -> String {
        #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{},"run":["\#(run)"],"#
            + #""http":{"GET /v1/\#(path)":"\#(name).get"}}"#
    }

    @Test func `after a restart the last valid content of an invalid file is in force`() async throws {
        try await withSource { source in
            try Self.write(Self.manifest("likes", path: "x"), to: "likes", of: source)
            #expect(try source.decideAndRecord(after: []).manifests.map(\.run) == [["./a"]])
            try Self.write("{", to: "likes", of: source)
            let decision = try source.decideAndRecord(after: [])
            #expect(decision.manifests.map(\.run) == [["./a"]] && decision.rejections.map(\.name) == ["likes"])
            try Self.write(nil, to: "likes", of: source)
            #expect(try source.decideAndRecord(after: []).manifests.isEmpty)
            try Self.write("{", to: "likes", of: source)
            #expect(try source.decideAndRecord(after: []).manifests.isEmpty)
        }
    }

    @Test func `after a restart the manifest in force keeps its path, although another one is the first by name`()
        async throws
    {
        try await withSource { source in
            try Self.write(Self.manifest("z", path: "x"), to: "z", of: source)
            _ = try source.decideAndRecord(after: [])
            try Self.write(Self.manifest("a", path: "x"), to: "a", of: source)
            for _ in 0..<2 {
                let decision = try source.decideAndRecord(after: [])
                #expect(decision.manifests.map(\.name) == ["z"] && decision.rejections.map(\.name) == ["a"])
            }
        }
    }

    @Test func `a manifest that is refused for its socket claims nothing`() async throws {
        let long = String(repeating: "x", count: 200)
        try await withSource { source in
            let text = Self.manifest("a", path: "x")
            try Self.write(text.replacing("a.sock", with: long), to: "a", of: source)
            try Self.write(Self.manifest("b", path: "x"), to: "b", of: source)
            let decision = source.decide(after: [])
            #expect(decision.manifests.map(\.name) == ["b"] && decision.rejections.map(\.name) == ["a"])
        }
    }

    @Test func `every member of a manifest is recorded`() async throws {
        let text = """
            {"name":"likes","socket":"/run/likes.sock","contracts":{"likes":{"min":1,"max":2},"other":3},"required":true,
             "timeout_ms":500,"run":["./likes.py","\\"a b\\"","é\\u0001"],
             "enriches":[{"item":"feed","method":"likes.counts","as":"likes","label":{"en":"Likes"},"format":"count","link":"/a/{id}"}],
             "http":{"GET /v1/likes/{id}":"likes.get","POST /v1/likes/{id}":"likes.add","GET /v1/x/{tag}":"likes.tag"}}
            """
        try await withSource { source in
            try Self.write(text, to: "likes", of: source)
            let decision = try source.decideAndRecord(after: [])
            #expect(decision.manifests.count == 1)
            // Only the record has the content now.
            try Self.write("{", to: "likes", of: source)
            #expect(try source.decideAndRecord(after: []).manifests == decision.manifests)
            let record = try FileManager.default.attributesOfItem(atPath: source.root + "/plugins.in-force")
            #expect(record[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test(arguments: [
        nil, "", "{", "[3]", #"[{"name":"likes"}]"#,
        // What the API has now, and what a user has made.
        "[\(manifest("likes", path: "feed"))]",
        "[\(manifest("good", path: "y")),\(manifest("good", path: "z"))]",
        "[\(manifest("good", path: "y")),\(manifest("likes", path: "y"))]",
    ])
    func `a record that is missing or invalid counts as none, and so does what another version has recorded`(
        record: String?
    ) async throws {
        try await withSource { source in
            if let record { try Data(record.utf8).write(to: URL(fileURLWithPath: source.root + "/plugins.in-force")) }
            try Self.write(Self.manifest("good", path: "y"), to: "good", of: source)
            try Self.write("{", to: "likes", of: source)
            let decision = try source.decideAndRecord(after: [])
            #expect(decision.manifests.map(\.name) == ["good"] && decision.rejections.map(\.name) == ["likes"])
        }
    }

    @Test func `without a record, the manifests of the gateway itself are in force`() async throws {
        try await withSource { source in
            try Self.write(Self.manifest("likes", path: "x"), to: "likes", of: source)
            let known = try source.decideAndRecord(after: []).manifests
            try FileManager.default.removeItem(atPath: source.root + "/plugins.in-force")
            try Self.write("{", to: "likes", of: source)
            #expect(try source.decideAndRecord(after: known).manifests == known)
        }
    }

    @Test func `a record that cannot be written is a failure, and the follower decides without it`() async throws {
        try await withSource { source in
            try FileManager.default.createDirectory(
                atPath: source.root + "/plugins.in-force", withIntermediateDirectories: false)
            let rejection = #expect(throws: FileRejection.self) { try source.decideAndRecord(after: []) }
            #expect(rejection?.reason == "cannot be written: Is a directory")
            try Self.write(Self.manifest("likes", path: "x"), to: "likes", of: source)
            let (registry, log) = (PluginRegistry(), RecordedLog())
            let follower = PluginFollower(registry: registry, source: source, ownInstance: "1", logger: log.logger)
            await follower.load()
            #expect(registry.knows("likes"))
            #expect(log.lines.first?.hasPrefix("the manifests in force are not recorded: ") == true)
            // However often the folder is read.
            await follower.load()
            #expect(log.lines.count == 1)
            try FileManager.default.removeItem(atPath: source.root + "/plugins.in-force")
            await follower.load()
            #expect(try source.decideAndRecord(after: []).manifests.map(\.name) == ["likes"] && log.lines.count == 1)
        }
    }

    @Test func `files that are invalid, conflict or claim what is the gateway's own are refused`() async throws {
        try await withSource { source in
            try Self.write(Self.manifest("likes", path: "x"), to: "likes", of: source)
            for (name, text) in [
                ("unknown", #"{"name":"unknown","socket":"x.sock","contracts":{},"run":["a"],"more":1}"#),
                ("none", #"{"name":"none","run":["a"]}"#), ("conflict", Self.manifest("conflict", path: "x")),
                ("own", #"{"name":"own","socket":"gateway.sock","contracts":{},"run":["a"]}"#),
                ("feed", #"{"name":"feed","socket":"feed.sock","contracts":{},"run":["a"]}"#),
            ] {
                try Self.write(text, to: name, of: source)
            }
            let decision = try source.decideAndRecord(after: [])
            #expect(decision.manifests.map(\.name) == ["conflict"] && decision.manifests.first?.run == ["./a"])
            #expect(Set(decision.rejections.map(\.name)) == ["unknown", "none", "likes", "own", "feed"])
        }
    }
}
