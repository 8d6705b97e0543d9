import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct PluginFolderTests {
    private func scan(
        _ files: [String: String]
    ) async throws -> (manifests: [PluginManifest], rejections: [ManifestRejection]) {
        try await withTemporaryDirectory { folder in
            for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
            let scan = PluginFolder(path: folder).scan()
            return (scan.manifests, scan.rejections)
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
            #expect(scan.manifests.count == 1 && scan.rejections.isEmpty)
        }
    }

    @Test func `a file up to the limit is read, and a larger one is refused`() async throws {
        let padding = String(repeating: " ", count: ManifestFile.maximumBytes - Self.text.utf8.count)
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
        #expect(reason == "belongs to user 65534; it must belong to the gateway's user or root")
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
