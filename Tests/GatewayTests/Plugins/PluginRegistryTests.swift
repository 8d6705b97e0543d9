import Foundation
import GatewayContract
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// A registry that follows its folder.
struct PluginRegistryTests {
    @Test func `a manifest that appears, changes or disappears takes effect`() async throws {
        try await FollowedFolder.with { folder in
            let registry = folder.registry
            #expect(registry.plugins.isEmpty)
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{}}"#)
            await folder.wait(for: ["likes": "a.sock"])
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{},"required":true}"#)
            await folder.wait { plugins, _ in plugins.first?.manifest.required == true }
            try folder.remove("likes")
            await folder.wait(for: [:])
            #expect(registry.rejections.isEmpty)
        }
    }

    @Test func `a manifest that is replaced by renaming takes effect`() async throws {
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"a.sock","contracts":{}}"#]) { folder in
            try folder.writeFile("likes.json.new", #"{"name":"likes","socket":"b.sock","contracts":{}}"#)
            #expect(rename(folder.path + "/likes.json.new", folder.path + "/likes.json") == 0)
            await folder.wait(for: ["likes": "b.sock"])
        }
    }

    @Test func `only a changed socket or contract replaces the connection`() async throws {
        let likes = #"{"name":"likes","socket":"a.sock","contracts":{"likes":1}}"#
        try await FollowedFolder.with(["likes": likes]) { folder in
            let registry = folder.registry
            let client = try registry.plugin("likes").client
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{"likes":1},"timeout_ms":9}"#)
            await folder.wait { plugins, _ in plugins.first?.manifest.timeout == 9 }
            #expect(try registry.plugin("likes").client === client)
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{"likes":2}}"#)
            await folder.wait { plugins, _ in plugins.first?.manifest.contracts == ["likes": 2] }
            let second = try registry.plugin("likes").client
            #expect(second !== client)
            try folder.write("likes", #"{"name":"likes","socket":"b.sock","contracts":{"likes":2}}"#)
            await folder.wait(for: ["likes": "b.sock"])
            #expect(try registry.plugin("likes").client !== second)
        }
    }

    @Test func `an invalid change keeps the plugin, and is logged once and reported until it is mended`() async throws {
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"a.sock","contracts":{}}"#]) { folder in
            let registry = folder.registry
            let client = try registry.plugin("likes").client
            try folder.write("likes", "{\n}}")
            await folder.wait { _, rejections in !rejections.isEmpty }
            #expect(registry.rejections.map(\.name) == ["likes"] && registry.rejections.first?.line == 2)
            #expect(try registry.plugin("likes").client === client)
            // Another change of the folder does not log it again.
            try folder.write("other", #"{"name":"other","socket":"o.sock","contracts":{}}"#)
            await folder.wait(for: ["likes": "a.sock", "other": "o.sock"])
            let lines = folder.log.lines.filter { $0.hasPrefix("plugin refused: ") }
            #expect(lines.count == 1 && lines.first?.hasSuffix("; its last valid manifest remains in force") == true)
            let reports = PluginReport.noting(registry.rejections, in: await registry.map { await $0.report() })
            #expect(reports.map(\.notices.count) == [1, 0])
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{}}"#)
            await folder.wait { _, rejections in rejections.isEmpty }
            #expect(try registry.plugin("likes").client === client)
        }
    }

    @Test func `the folder may be missing, appear later and be replaced`() async throws {
        try await FollowedFolder.with(nil) { folder in
            for socket in ["a.sock", "b.sock"] {
                try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
                try folder.write("likes", #"{"name":"likes","socket":"\#(socket)","contracts":{}}"#)
                await folder.wait(for: ["likes": socket])
                #expect(rename(folder.path, folder.path + "-\(socket)") == 0)
                await folder.wait(for: [:])
            }
        }
    }

    @Test func `a folder that becomes unreadable keeps all plugins`() async throws {
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"a.sock","contracts":{}}"#]) { folder in
            #expect(rename(folder.path, folder.path + "-old") == 0)
            try Data().write(to: URL(fileURLWithPath: folder.path))
            await folder.wait { _, rejections in !rejections.isEmpty }
            #expect(folder.registry.knows("likes"))
        }
    }

    /// Its call ends with the answer, and its stream with `unavailable`.
    @Test func `a removed plugin finishes its calls, and gets no new ones`() async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        let (opens, opening) = AsyncStream.makeStream(of: Void.self)
        let method = Method("likes.wait", "Wait.", params: Empty.codec, answer: Empty.codec)
        let stream = StreamMethod("likes.watch", "Wait.", params: Empty.codec, item: Empty.codec)
        var table = MethodTable(Contract(name: "likes", version: 1, methods: [method.description]))
        table.handle(method) { _, _ in
            called.yield()
            for await _ in opens {}
            return Empty()
        }
        table.handle(stream) { _, _, _ in await waitForCancellation() }
        let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{}}"#
        try await FollowedFolder.with(["likes": manifest], serving: ["likes": table]) { folder in
            let plugin = try folder.registry.plugin("likes")
            async let waiting = plugin.call(method, Empty(), CallOptions())
            for await _ in calls { break }
            async let ended = failure {
                try await plugin.withStream(stream, Empty(), .endless()) { for try await _ in $0 {} }
            }
            try folder.remove("likes")
            await folder.wait(for: [:])
            let removed = "likes.sock: it was removed from the configuration"
            #expect(await ended?.message == removed)
            let error = await failure { try await plugin.call(method, Empty(), CallOptions()) }
            #expect(error?.message == removed)
            opening.finish()
            _ = try await waiting
        }
    }

    /// The servers have the same instance id, as one process that listens on two sockets.
    @Test func `two names for one process work, and each says so`() async throws {
        let method = { (name: String) in Method("\(name).get", "", params: Empty.codec, answer: Empty.codec) }
        let served = ["a", "b"].map { name in
            var table = MethodTable(Contract(name: name, version: 1, methods: [method(name).description]))
            for name in ["a", "b", "c"] { table.handle(method(name)) { _, _ in Empty() } }
            return (name, table)
        }
        let manifests = [
            "a": #"{"name":"a","socket":"a.sock","contracts":{"a":1}}"#,
            "b": #"{"name":"b","socket":"b.sock","contracts":{"b":1}}"#,
            "c": #"{"name":"c","socket":"b.sock","contracts":{"b":1}}"#,
            "other": #"{"name":"other","socket":"other.sock","contracts":{}}"#,
        ]
        try await FollowedFolder.with(manifests, serving: Dictionary(uniqueKeysWithValues: served)) { folder in
            for name in ["a", "b", "c"] {
                _ = try await folder.registry.plugin(name).call(method(name), Empty(), CallOptions())
            }
            let reports = PluginReport.noting([], in: await folder.registry.map { await $0.report() })
            let notices = Dictionary(uniqueKeysWithValues: reports.map { ($0.name, $0.notices) })
            #expect(
                notices == [
                    "a": ["is the same process as b", "is the same process as c"],
                    "b": ["is the same process as a", "is the same process as c"],
                    "c": ["is the same process as a", "is the same process as b"], "other": [],
                ])
        }
    }

    // MARK: Loops

    @Test(arguments: ["/run/gateway.sock", "/run/../run/gateway.sock", "/run/link.sock", "/run/hard.sock"])
    func `the gateway's own socket is refused, by whatever path`(path: String) async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
            try await TestServer.with(
                MethodTable(), named: "gateway", at: SocketPath(root + "/run/gateway.sock")
            ) { _ in
                #expect(symlink("gateway.sock", root + "/run/link.sock") == 0)
                #expect(link(root + "/run/gateway.sock", root + "/run/hard.sock") == 0)
                let manifest = #"{"name":"self","socket":"\#(root + path)","contracts":{}}"#
                try Data(manifest.utf8).write(to: URL(fileURLWithPath: root + "/plugins.d/self.json"))
                let source = ManifestSource(of: Root(root), ownSocket: root + "/run/gateway.sock")
                let decision = try source.decideAndRecord(after: [])
                #expect(decision.manifests.isEmpty)
                #expect(decision.rejections.map(\.reason) == ["socket: is the gateway's own, \(root + path)"])
            }
        }
    }
}

/// The error of a call; nil for one that succeeds.
func failure<Answer>(_ call: () async throws -> Answer) async -> RPCError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? RPCError
    }
}
