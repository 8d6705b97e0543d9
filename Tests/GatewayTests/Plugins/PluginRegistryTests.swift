import Foundation
import GatewayContract
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// A registry that follows its folder.
@Suite(.timeLimit(.minutes(5))) struct PluginRegistryTests {
    @Test func `a manifest that appears, changes or disappears takes effect`() async throws {
        try await FollowedFolder.with { folder in
            let registry = folder.registry
            #expect(registry.plugins.isEmpty)
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{}}"#)
            await until { registry.knows("likes") }
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{},"required":true}"#)
            await until { registry.plugins.first?.manifest.required == true }
            try folder.remove("likes")
            await until { !registry.knows("likes") }
            #expect(registry.rejections.isEmpty)
        }
    }

    @Test func `a manifest that is replaced by renaming takes effect`() async throws {
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"a.sock","contracts":{}}"#]) { folder in
            try folder.writeFile("likes.json.new", #"{"name":"likes","socket":"b.sock","contracts":{}}"#)
            #expect(rename(folder.path + "/likes.json.new", folder.path + "/likes.json") == 0)
            await until { folder.registry.plugins.first?.manifest.socket == "b.sock" }
        }
    }

    @Test func `only a changed socket or contract replaces the connection`() async throws {
        let likes = #"{"name":"likes","socket":"a.sock","contracts":{"likes":1}}"#
        try await FollowedFolder.with(["likes": likes]) { folder in
            let registry = folder.registry
            let client = try registry.plugin("likes").client
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{"likes":1},"timeout_ms":9}"#)
            await until { registry.plugins.first?.manifest.timeout == 9 }
            #expect(try registry.plugin("likes").client === client)
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{"likes":2}}"#)
            await until { registry.plugins.first?.manifest.contracts == ["likes": 2] }
            let second = try registry.plugin("likes").client
            #expect(second !== client)
            try folder.write("likes", #"{"name":"likes","socket":"b.sock","contracts":{"likes":2}}"#)
            await until { registry.plugins.first?.manifest.socket == "b.sock" }
            #expect(try registry.plugin("likes").client !== second)
        }
    }

    @Test func `an invalid change keeps the plugin, and is logged once and reported until it is mended`() async throws {
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"a.sock","contracts":{}}"#]) { folder in
            let registry = folder.registry
            let client = try registry.plugin("likes").client
            try folder.write("likes", "{\n}}")
            await until { !registry.rejections.isEmpty }
            #expect(registry.rejections.map(\.name) == ["likes"] && registry.rejections.first?.line == 2)
            #expect(try registry.plugin("likes").client === client)
            // Another change of the folder does not log it again.
            try folder.write("other", #"{"name":"other","socket":"o.sock","contracts":{}}"#)
            await until { registry.knows("other") }
            let lines = folder.log.lines.filter { $0.hasPrefix("plugin refused: ") }
            #expect(lines.count == 1 && lines.first?.hasSuffix("; its last valid manifest remains in force") == true)
            let reports = PluginReport.noting(registry.rejections, in: await registry.map { await $0.report() })
            #expect(reports.map(\.notices.count) == [1, 0])
            try folder.write("likes", #"{"name":"likes","socket":"a.sock","contracts":{}}"#)
            await until { registry.rejections.isEmpty }
            #expect(try registry.plugin("likes").client === client)
        }
    }

    @Test func `the folder may be missing, appear later and be replaced`() async throws {
        try await FollowedFolder.with(nil) { folder in
            let registry = folder.registry
            for socket in ["a.sock", "b.sock"] {
                try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
                try folder.write("likes", #"{"name":"likes","socket":"\#(socket)","contracts":{}}"#)
                await until { registry.plugins.first?.manifest.socket == socket }
                #expect(rename(folder.path, folder.path + "-\(socket)") == 0)
                await until { registry.plugins.isEmpty }
            }
        }
    }

    @Test func `a folder that becomes unreadable keeps all plugins`() async throws {
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"a.sock","contracts":{}}"#]) { folder in
            #expect(rename(folder.path, folder.path + "-old") == 0)
            try Data().write(to: URL(fileURLWithPath: folder.path))
            await until { !folder.registry.rejections.isEmpty }
            #expect(folder.registry.knows("likes"))
        }
    }

    /// The call of the removed plugin ends with its answer, and the stream with `unavailable`.
    @Test func `a removed plugin finishes its calls, and gets no new ones`() async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        let (opens, opening) = AsyncStream.makeStream(of: Void.self)
        let method = Method("likes.wait", "Wait.", params: Empty.codec, answer: Empty.codec)
        var table = MethodTable(Contract(name: "likes", version: 1, methods: [method.description]))
        table.handle(method) { _, _ in
            called.yield()
            for await _ in opens {}
            return Empty()
        }
        try await FollowedFolder.with(["likes": #"{"name":"likes","socket":"likes.sock","contracts":{}}"#]) { folder in
            try await TestServer.with(table, named: "likes", at: SocketPath(folder.root + "/run/likes.sock")) { _ in
                let plugin = try folder.registry.plugin("likes")
                // The first attempts to connect may have been before the server listened.
                await until { await plugin.client.status().phase == .ready }
                async let waiting = plugin.call(method, Empty(), CallOptions())
                var iterator = calls.makeAsyncIterator()
                _ = await iterator.next()
                try folder.remove("likes")
                await until { !folder.registry.knows("likes") }
                await until {
                    let error = await failure {
                        try await plugin.call("likes.other", Payload(.emptyObject), CallOptions())
                    }
                    return error?.message == "likes.sock: it was removed from the configuration"
                }
                opening.finish()
                _ = try await waiting
                await until { await plugin.client.greeting() == nil }
            }
        }
    }

    // MARK: Conflicts

    @Test func `a plugin in force keeps its path while its file is invalid, and the next one has it afterwards`()
        async throws
    {
        func manifest(_ name: String) -> String {
            #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{},"http":{"GET /v1/x":"\#(name).get"}}"#
        }
        try await FollowedFolder.with(["likes": manifest("likes")]) { folder in
            let registry = folder.registry
            try folder.write("likes", "{")
            await until { registry.rejections.map(\.name) == ["likes"] }
            try folder.write("better", manifest("better"))
            await until { registry.rejections.map(\.name) == ["better", "likes"] }
            #expect(registry.plugins.map(\.name) == ["likes"])
            let text = "\(registry.rejections[0])"
            #expect(text == "\(folder.path)/better.json: http: GET /v1/x overlaps GET /v1/x of likes.json")
            try folder.remove("likes")
            await until { registry.plugins.map(\.name) == ["better"] }
            #expect(registry.rejections.isEmpty)
        }
    }

    @Test func `a manifest that is refused for its socket claims nothing`() async throws {
        let enriches = #""enriches":[{"item":"feed","method":"a.x","as":"x"}]"#
        let long = String(repeating: "x", count: 200)
        try await FollowedFolder.with([
            "a": #"{"name":"a","socket":"\#(long)","contracts":{},\#(enriches)}"#,
            "b": #"{"name":"b","socket":"b.sock","contracts":{},\#(enriches.replacing("a.x", with: "b.x"))}"#,
        ]) { folder in
            #expect(folder.registry.plugins.map(\.name) == ["b"])
            #expect(folder.registry.rejections.map(\.name) == ["a"])
        }
    }

    /// The servers have the same instance id, as one process that listens on two sockets.
    @Test func `two names for one process work, and each says so`() async throws {
        let method = { (name: String) in Method("\(name).get", "", params: Empty.codec, answer: Empty.codec) }
        try await FollowedFolder.with([
            "a": #"{"name":"a","socket":"a.sock","contracts":{"a":1}}"#,
            "b": #"{"name":"b","socket":"b.sock","contracts":{"b":1}}"#,
            "c": #"{"name":"c","socket":"b.sock","contracts":{"b":1}}"#,
            "other": #"{"name":"other","socket":"other.sock","contracts":{}}"#,
        ]) { folder in
            func serving(_ names: [String], _ body: () async throws -> Void) async throws {
                guard let name = names.first else { return try await body() }
                var table = MethodTable(Contract(name: name, version: 1, methods: [method(name).description]))
                for name in ["a", "b", "c"] { table.handle(method(name)) { _, _ in Empty() } }
                try await TestServer.with(table, named: name, at: SocketPath("\(folder.root)/run/\(name).sock")) { _ in
                    try await serving(Array(names.dropFirst()), body)
                }
            }
            try await serving(["a", "b"]) {
                for name in ["a", "b", "c"] {
                    let plugin = try folder.registry.plugin(name)
                    await until { await plugin.client.status().phase == .ready }
                    _ = try await plugin.call(method(name), Empty(), CallOptions())
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

/// Waits until a condition is true, or the time limit of the test has cancelled its task.
func until(_ condition: () async -> Bool) async {
    while await !condition(), !Task.isCancelled { await Task.yield() }
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
