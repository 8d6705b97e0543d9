import FeedContract
import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// A gateway with a third-party plugin: a server that the test runs.
@Suite struct PluginServingTests {
    /// Serves `likes.counts` of version 1.
    private static var counts: MethodTable {
        let method = Method("likes.counts", "Count.", params: Empty.codec, answer: Empty.codec)
        var table = MethodTable(Contract(name: "likes", version: 1, methods: [method.description]))
        table.handle(method) { _, _ in Empty() }
        return table
    }

    private func withGateway(
        manifest: String, others: [String: String] = [:], serving table: MethodTable = Self.counts,
        _ body: (@Sendable (String...) async throws -> Program.Outcome) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
            for (name, text) in others.merging(["likes": manifest], uniquingKeysWith: { $1 }) {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/plugins.d/\(name).json"))
            }
            // A separate loop, so that other tests of this process do not delay it.
            try await TestServer.with(
                table, named: "likes", at: SocketPath(root + "/run/likes.sock"), executor: .separate()
            ) { _ in
                let gateway = try Program("gateway").start(["serve", "--root", root], errors: nil)
                defer { gateway.send(SIGKILL) }
                #expect(await gateway.errors.wait(for: "serving on"))
                try await body { (arguments: String...) in
                    try await Program("gateway").run(arguments, environment: ["ROOT": root, "LC_ALL": "C"])
                }
            }
        }
    }

    @Test func `a plugin's methods are forwarded and described, and its health is checked`() async throws {
        let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1},"required":true}"#
        try await withGateway(manifest: manifest) { gateway in
            let called = try await gateway("call", "likes.counts")
            #expect(called.status == 0 && called.output == "{}\n")
            let described = try await gateway("describe")
            #expect(described.output.contains("likes.counts") && described.output.contains("gateway.feed_page"))
            let own = try await gateway("describe", "gateway")
            #expect(!own.output.contains("likes.counts") && own.output.contains("gateway.feed_page"))
            let health = try await gateway("health")
            #expect(health.status == 0)
        }
    }

    @Test func `refused manifests and optional plugins are listed and checked, and decide nothing`() async throws {
        let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1},"required":true}"#
        let others = ["bad": "{\n", "absent": #"{"name":"absent","socket":"absent.sock","contracts":{}}"#]
        try await withGateway(manifest: manifest, others: others) { gateway in
            let plugins = try await gateway("plugins", "--json")
            #expect(plugins.output.contains(#""refused":[{"name":"bad","file":"#), "\(plugins.output)")
            #expect(plugins.output.contains(#"bad.json","line":2,"reason":"#), "\(plugins.output)")
            let table = try await gateway("plugins")
            for state in ["ready", "refused", "down"] { #expect(table.output.contains(state), "\(table.output)") }
            let refused = try await gateway("plugins", "--refused")
            #expect(refused.output.contains("bad.json:2: ") && !refused.output.contains("absent"), "\(refused.output)")
            let health = try await gateway("health")
            #expect(health.status == 0 && health.output.contains("bad.json:2: "), "\(health.output)")
        }
    }

    @Test func `a manifest that names what the plugin does not describe is a problem beside its state`() async throws {
        let manifest = """
            {"name":"likes","socket":"likes.sock","contracts":{"likes":1},"required":true,
             "enriches":[{"item":"feed","method":"likes.cuonts","as":"likes"}],"http":{"GET /v1/likes/{id}":"likes.counts"}}
            """
        let faults = [
            "enriches: the plugin does not describe likes.cuonts; did you mean likes.counts?",
            "http: GET /v1/likes/{id}: likes.counts has no parameter id",
        ].joined(separator: "; ")
        try await withGateway(manifest: manifest) { gateway in
            // The gateway may still be connecting.
            _ = try await gateway("health", "--wait", "86400")
            let plugins = try await gateway("plugins")
            #expect(plugins.output.contains(/likes +ready/) && plugins.output.contains(faults), "\(plugins.output)")
            let health = try await gateway("health")
            #expect(health.status == 0 && health.output.contains(faults), "\(health.output)")
            #expect(health.output.contains(/likes +serving/), "\(health.output)")
        }
    }

    @Test func `the line of a plugin that is down names the log of its program`() async throws {
        let likes = #"{"name":"likes","socket":"likes.sock","contracts":{},"run":["./likes"]}"#
        let manifest = { (name: String) in likes.replacing("likes", with: name) }
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/log", withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: root + "/log/down.log"))
            for (name, isNamed) in [("down", true), ("other", false)] {
                let manifest = try RawJSON(checking: manifest(name)).read(as: PluginManifest.codec)
                let report = await (try Plugin(manifest, root: root)).report()
                #expect(report.state != .ready)
                #expect(report.notices == (isNamed ? ["its log is \(root)/log/down.log"] : []))
            }
        }
    }

    @Test func `the gateway's own methods do not call an incompatible plugin either`() async throws {
        try await withTemporaryDirectory { root in
            var services = FakeServices()
            services.load = { _, _ in
                Issue.record("an incompatible plugin was called")
                throw RPCError(.unavailable, "not to be called")
            }
            let table = try #require(services.tables["feed"])
            let manifest = PluginManifest(
                name: "feed", socket: "feed.sock", contracts: ["feed": 2], required: true, timeout: nil)
            try await TestServer.with(table, named: "feed", at: SocketPath(root + "/run/feed.sock")) { _ in
                let plugin = try await Plugin(manifest, root: root)
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await plugin.client.run() }
                    defer { group.cancelAll() }
                    let error = await #expect(throws: RPCError.self) {
                        try await plugin.call(FeedContract.load, LoadFeed(), CallOptions())
                    }
                    #expect(error?.kind == .unavailable && error?.service == "feed")
                    #expect(error?.message == "feed.sock: it does not offer feed 2; it offers feed 1")
                    #expect(await plugin.report().state == .incompatible)
                }
            }
        }
    }

    @Test func `an incompatible plugin is not called`() async throws {
        let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":2},"required":true}"#
        try await withGateway(manifest: manifest) { gateway in
            let plugins = try await gateway("plugins")
            #expect(plugins.output.contains("incompatible"))
            let called = try await gateway("call", "likes.counts")
            #expect(called.status == 69 && called.errors.contains("does not offer likes 2"))
            let health = try await gateway("health")
            #expect(health.status == 1 && health.output.contains("does not offer likes 2"))
        }
    }

    @Test(arguments: ["describe", "health", "stats"])
    func `an invalid answer to a method of the protocol is reported with the plugin and the fault`(
        command: String
    ) async throws {
        var table = MethodTable(Contract(name: "likes", version: 1, methods: []))
        for name in ["rpc.describe", "rpc.health", "rpc.stats"] {
            table.handle(Method(name, "", params: Empty.codec, answer: Empty.codec)) { _, _ in Empty() }
        }
        let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{}}"#
        try await withGateway(manifest: manifest, serving: table) { gateway in
            let answer = try await gateway(command, "likes")
            #expect(answer.status == 65, "\(answer.errors)")
            #expect(answer.errors.contains("likes: the answer violates its contract: result."), "\(answer.errors)")
        }
    }
}
