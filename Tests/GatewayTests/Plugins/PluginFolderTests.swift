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
        #"{"name":"x","socket":"x.sock","contracts":{},"enriches":[]}"#,
        #"{"name":"abcdefghijklmnopqrstuvwxyzabcdefg","socket":"x.sock","contracts":{}}"#,
    ])
    func `an invalid manifest is reported and does not affect the others`(_ text: String) async throws {
        let (manifests, rejections) = try await scan([
            "x.json": text, "good.json": #"{"name":"good","socket":"good.sock","contracts":{}}"#,
        ])
        #expect(manifests.map(\.name) == ["good"])
        #expect(rejections.count == 1 && rejections[0].file.hasSuffix("/x.json") && !rejections[0].reason.isEmpty)
    }

    @Test func `a syntax error is reported with its line`() async throws {
        let (_, rejections) = try await scan(["x.json": "{\n\"name\": \"x\",\n}"])
        #expect(rejections.first?.line == 3)
    }

    @Test func `a missing folder has no plugins`() {
        #expect(PluginFolder(path: "/nonexistent").scan().manifests.isEmpty)
    }
}
