import GatewayContract
import JSON
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// Plugins that misbehave on a real socket. Each harms only its own calls.
struct HostilePluginTests {
    @Test func `a plugin that hangs costs its callers the time of its manifest`() async throws {
        try await HostilePlugin.with(timeout: 50) { plugin in
            let hostile = plugin.hostile
            let peer = try await plugin.listener.acceptGreeting()
            async let error = failure { try await hostile.act() }
            _ = try await peer.receive()
            await plugin.clock.advance(by: .milliseconds(50))
            let seen = await error
            #expect(seen?.kind == .deadlineExceeded && seen?.service == "hostile")
            try await plugin.expectOthersWork()
            try await peer.close()
        }
    }

    @Test func `a reader does not wait for a plugin that leaves a ping unanswered, until it answers one`() async throws
    {
        try await HostilePlugin.with { plugin in
            let hostile = plugin.hostile
            let peer = try await plugin.listener.acceptGreeting()
            async let error = failure { try await hostile.actForReader() }
            _ = try await peer.receive(containing: "hostile.act")
            await plugin.clock.advance(by: Plugin.patience)
            _ = try await peer.receive(containing: "rpc.ping")
            await plugin.clock.advance(by: Plugin.pingTime)
            let seen = await error
            #expect(seen?.kind == .unavailable && seen?.service == "hostile" && hostile.standing.hangs)
            // Now it is pinged at once.
            async let answer = hostile.actForReader()
            var call: String?
            while hostile.standing.hangs {
                let request = try #require(try await peer.receive())
                if request.contains("hostile.act") { call = request }
                if request.contains(/"id":\d+,"method":"rpc.ping"/) {
                    try peer.reply(to: request, #""result":{}"#)
                    try await eventually { !hostile.standing.hangs }
                }
            }
            if call == nil { call = try await peer.receive(containing: "hostile.act") }
            await plugin.clock.advance(by: .seconds(1))
            try peer.reply(to: #require(call), #""result":{}"#)
            _ = try await answer
            try await peer.close()
        }
    }

    /// Four unrequested messages are tolerated; the fifth ends the connection. The second time, the gateway waits.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        #"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":99,"item":{}}}"#,
    ])
    func `a plugin that floods is disconnected, and then waited for`(message: String) async throws {
        try await HostilePlugin.with { plugin in
            let hostile = plugin.hostile
            for _ in 1...2 {
                let peer = try await plugin.acceptAgain()
                for _ in 1...5 { peer.post(WirePeer.frame(message)) }
                _ = await peer.rest()
            }
            let disconnection = hostile.standing.since
            let report = await hostile.report()
            #expect(report.state == .down && report.error?.contains("violates the protocol repeatedly") == true)
            #expect((0...1_000).contains(report.nextAttempt ?? 0), "\(report)")
            let error = await failure { try await hostile.act() }
            #expect(error?.kind == .unavailable && error?.begun == false)
            try await plugin.expectOthersWork()
            // It gets another chance.
            let peer = try await plugin.acceptAgain()
            await hostile.standing.wait(forChangeAfter: disconnection)
            async let answer = hostile.act()
            try await peer.answer(#""result":{}"#)
            _ = try await answer
            try await peer.close()
        }
    }

    @Test func `a plugin that describes itself wrongly is called nevertheless, and described as nothing`() async throws
    {
        try await HostilePlugin.with { plugin in
            let hostile = plugin.hostile
            let peer = try await plugin.listener.acceptGreeting()
            async let described = hostile.contracts(CallOptions())
            try await peer.answer(#""result":{"contracts":[{"name":1}]}"#)
            let contracts = try await described
            #expect(contracts.isEmpty)
            async let answer = hostile.act()
            try await peer.answer(#""result":{"anything":[1]}"#)
            #expect(try await answer.json == RawJSON(checking: #"{"anything":[1]}"#))
            try await plugin.expectOthersWork()
            try await peer.close()
        }
    }

    @Test func `a description that failed is an error, and is asked for again`() async throws {
        try await HostilePlugin.with { plugin in
            let (hostile, recent) = (plugin.hostile, RecentContracts(plugin.clock))
            async let _: Void = recent.run()
            let peer = try await plugin.listener.acceptGreeting()
            async let failed = recent.method("hostile.act", of: hostile)
            try await peer.answer(#""error":{"code":-32603,"message":"busy","data":{"kind":"internal"}}"#)
            do {
                _ = try await failed
                Issue.record("no error")
            } catch {
                #expect((error as? RPCError)?.kind == .internalError)
            }
            async let described = recent.method("hostile.act", of: hostile)
            let method =
                #"{"name":"hostile.act","summary":"","params":{},"result":{},"idempotent":true,"streams":false,"errors":[]}"#
            try await peer.answer(
                #""result":{"service":{"name":"hostile","version":"1","instance":"a"},"contracts":[{"name":"hostile","version":1,"methods":[\#(method)]}]}"#
            )
            let found = try await described
            #expect(found?.name == "hostile.act")
        }
    }

    @Test(
        arguments: [
            ("too much", [0x00, 0xFF, 0xFF, 0xFF], .invalidData),
            ("no JSON", WirePeer.frame("this is no answer"), .invalidData),
            (
                "half an answer", Array(WirePeer.frame(#"{"jsonrpc":"2.0","id":1,"result":{}}"#).prefix(20)),
                .unavailable
            ),
            ("nothing", [], .unavailable),
        ] as [(String, [UInt8], ErrorKind)])
    func `a plugin that answers wrongly and ends fails its own call`(
        what: String, bytes: [UInt8], kind: ErrorKind
    ) async throws {
        try await HostilePlugin.with { plugin in
            let hostile = plugin.hostile
            let peer = try await plugin.listener.acceptGreeting()
            async let error = failure { try await hostile.act() }
            _ = try await peer.receive()
            peer.post(bytes)
            // The gateway may have closed the connection already.
            try? await peer.finishSending()
            #expect(await error?.kind == kind, "\(what)")
            try await plugin.expectOthersWork()
        }
    }

    @Test func `of two answers to one call the first counts`() async throws {
        try await HostilePlugin.with { plugin in
            let hostile = plugin.hostile
            let peer = try await plugin.listener.acceptGreeting()
            async let answer = hostile.act()
            try await peer.answer(#""result":{"a":"first"}"#, #""result":{"a":"second"}"#)
            #expect(try await answer.json == RawJSON(checking: #"{"a":"first"}"#))
            async let next = hostile.act()
            try await peer.answer(#""result":{}"#)
            _ = try await next
            try await plugin.expectOthersWork()
            try await peer.close()
        }
    }

    @Test func `error data of a plugin's own kind becomes details`() async throws {
        try await HostilePlugin.with { plugin in
            let hostile = plugin.hostile
            let peer = try await plugin.listener.acceptGreeting()
            async let error = failure { try await hostile.act() }
            try await peer.answer(#""error":{"code":-5,"message":"no","data":{"kind":7,"mine":[1]}}"#)
            let seen = await error
            #expect(seen?.kind == .internalError && seen?.service == "hostile")
            #expect(try seen?.details == RawJSON(checking: #"{"kind":7,"mine":[1]}"#))
            try await plugin.expectOthersWork()
            try await peer.close()
        }
    }
}

extension WirePeer {
    /// Receives a request, and sends messages with its id and these members.
    fileprivate func answer(_ members: String...) async throws {
        let request = try #require(try await receive())
        for members in members { try reply(to: request, members) }
    }

    /// The next request with this method.
    fileprivate func receive(containing method: String) async throws -> String {
        var request = ""
        repeat { request = try #require(try await receive()) } while !request.contains(method)
        return request
    }

    fileprivate func reply(to request: String, _ members: String) throws {
        let id = try #require(request.firstMatch(of: /"id":(\d+)/)).output.1
        post(WirePeer.frame(#"{"jsonrpc":"2.0","id":\#(id),\#(members)}"#))
    }
}

extension Plugin {
    fileprivate func actForReader() async throws(RPCError) -> Payload {
        try await whileAnswering { () throws(RPCError) in try await act() }
    }

    /// Calls a method that is not repeatable.
    fileprivate func act() async throws(RPCError) -> Payload {
        try await call("hostile.act", Payload(.emptyObject), CallOptions())
    }
}

/// A registry of two plugins: one whose bytes the test sends, and one that works.
private struct HostilePlugin {
    let listener: WireListener
    let hostile: Plugin
    let good: Plugin

    /// The clock of the registry.
    let clock: ManualClock

    private static let ping = Method("good.ping", "Answer.", params: Empty.codec, answer: Empty.codec)

    /// - Parameter timeout: the timeout of the hostile plugin's manifest.
    static func with(timeout: Int? = nil, _ body: (HostilePlugin) async throws -> Void) async throws {
        var table = MethodTable(Contract(name: "good", version: 1, methods: [ping.description]))
        table.handle(ping) { _, _ in Empty() }
        let clock = ManualClock()
        let executor = LoopExecutor.timed(by: clock)
        try await withTemporaryDirectory { root in
            let paths = ["hostile", "good"].map { "\(root)/\($0).sock" }
            try await TestServer.with(table, named: "good", at: SocketPath(paths[1]), executor: executor) { _ in
                try await WireListener.with(at: SocketPath(paths[0])) { listener in
                    let hostile = try await Plugin(
                        PluginManifest(
                            name: "hostile", socket: paths[0], contracts: [:], required: false, timeout: timeout),
                        root: root, executor: executor)
                    let good = try await Plugin(
                        PluginManifest(name: "good", socket: paths[1], contracts: [:], required: true, timeout: nil),
                        root: root, executor: executor)
                    let registry = PluginRegistry([hostile, good], executor: executor)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { await registry.run() }
                        defer { group.cancelAll() }
                        try await body(HostilePlugin(listener: listener, hostile: hostile, good: good, clock: clock))
                    }
                }
            }
        }
    }

    /// The next connection of the gateway to the hostile plugin, after its pause.
    func acceptAgain() async throws -> WirePeer {
        try await clock.passing(inStepsOf: .seconds(1)) { try await listener.acceptGreeting() }
    }

    func expectOthersWork() async throws { _ = try await good.call(Self.ping, Empty(), CallOptions()) }
}
