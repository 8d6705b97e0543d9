import Glibc
import RPCTestKit
import Synchronization
import Testing

@testable import RPC

/// The reports that a process receives about its calls, for its log.
struct FailureReportTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    private static func failing(_ kind: ErrorKind) -> MethodTable {
        var table = MethodTable(EchoContract.contract)
        let fail = Method(
            EchoContract.fail.name, "Fail.", params: EchoContract.Text.codec, answer: EchoContract.Text.codec,
            errors: ErrorKind.allCases)
        table.handle(fail) { _, _ in throw RPCError(kind, "on purpose") }
        return table
    }

    private static func call(_ method: String, meta: String = "") -> String {
        """
        {"jsonrpc":"2.0","id":1,"method":"\(method)","params":{"text":"a"},\
        "meta":{"traceparent":"00-\(trace)-b7ad6b7169203331-01"\(meta)}}
        """
    }

    @Test(arguments: ErrorKind.allCases)
    func `each answer of class 5xx is reported once with its trace, and no other`(kind: ErrorKind) async throws {
        try await TestServer.with(Self.failing(kind)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            #expect(try await peer.answer(to: Self.call("echo.fail")).error?.kind == kind)
            let isReported = kind.isServerError
            #expect(server.failures.map(\.trace.id) == (isReported ? [Self.trace] : []))
            #expect(server.failures.map(\.method) == (isReported ? ["echo.fail"] : []))
        }
    }

    @Test func `a successful call and an unknown method are not reported`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            #expect(try await peer.answer(to: Self.call("echo.say")).error == nil)
            #expect(try await peer.answer(to: Self.call("no.method")).error?.kind == .methodNotFound)
            #expect(server.failures.isEmpty)
        }
    }

    @Test func `a call that times out is reported once, whatever its handler does later`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        try await withPeer(gate: gate, executor: .timed(by: clock)) { peer, server in
            try await peer.send(Self.call("echo.wait", meta: #","timeout_ms":20"#))
            _ = await gate.arrival()
            await clock.advance(by: .milliseconds(20))
            #expect(try await peer.answer().error?.kind == .deadlineExceeded)
            try await peer.expectAlive()
            #expect(server.failures.map(\.trace.id) == [Self.trace])
            #expect((server.failures.first?.error as? RPCError)?.kind == .deadlineExceeded)
        }
    }

    @Test func `a forwarded fault is reported here as well, but not as our own`() async throws {
        var table = MethodTable()
        table.forward = { _, _, _, completion in
            completion(.failure(RPCError(.internalError, "on purpose", service: "feed")))
            return {}
        }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            _ = try await peer.answer(to: Self.call("feed.load"))
            #expect(server.failures.map(\.trace.id) == [Self.trace])
            #expect(server.faults.isEmpty)
        }
    }

    @Test func `refusals by a draining server are not failures`() async throws {
        var limits = Limits()
        (limits.drainTime, limits.discardTime) = (.hours(1), .hours(1))
        try await TestServer.with(EchoContract.table, limits: limits) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.greet([])
            try await peer.send(
                #"{"jsonrpc":"2.0","id":7,"method":"echo.follow","params":{"text":"x"},"meta":{"stream":true}}"#)
            try await peer.expectAlive()
            server.stop()
            var texts: [String] = []
            while texts.count < 2, let text = try await peer.receive() { texts.append(text) }
            #expect(texts.contains { $0.contains("rpc.draining") })
            #expect(try await peer.answer(to: Self.call("echo.say")).error?.kind == .unavailable)
            #expect(server.failures.isEmpty)
        }
    }

    // MARK: Every call

    @Test func `every call that ends is logged with outcome, duration, trace and caller, once`() async throws {
        try await withTemporaryDirectory { directory in
            let records = Mutex<[CallRecord]>([])
            let path = try SocketPath(directory + "/test.sock")
            let server = RPCServer(
                identity: ServiceIdentity(name: "test", version: "1"), methods: EchoContract.table, onFault: { _ in },
                onCall: { record in records.withLock { $0.append(record) } })
            try await withThrowingTaskGroup(of: Void.self) { group in
                let socket = try ListeningSocket(path: path)
                let (stops, stop) = AsyncStream.makeStream(of: Void.self)
                group.addTask { try await server.run(on: socket, until: { for await _ in stops {} }) }
                defer { stop.finish() }
                try await RPCClient.withConnection(to: path, as: "reader") { client in
                    var options = CallOptions()
                    options.trace = TraceContext(parent: "00-\(Self.trace)-b7ad6b7169203331-01")
                    _ = try await client.call(EchoContract.echo, .init(text: "a"), options)
                    _ = try? await client.call(EchoContract.fail, .init(text: "not_found"), options)
                    _ = try? await client.call("no.method", .emptyObject, options)
                }
                let seen = records.withLock { $0 }
                #expect(seen.map(\.method) == ["echo.say", "echo.fail", "no.method"])
                #expect(seen.map(\.error) == [nil, .notFound, .methodNotFound])
                #expect(seen.map(\.trace.id) == [Self.trace, Self.trace, Self.trace])
                #expect(seen.allSatisfy { $0.client == "reader" && $0.peer?.process == getpid() })
                #expect(seen.map { $0.duration != nil } == [true, true, false])
            }
        }
    }
}
