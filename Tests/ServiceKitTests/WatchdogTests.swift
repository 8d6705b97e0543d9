import Dispatch
import Logging
import NIOPosix
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import ServiceKit

@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    private static func watchdog(
        _ path: SocketPath, _ time: Duration, tellAlive: @escaping @Sendable () -> Void = {}
    ) -> Watchdog {
        Watchdog(
            path: path, time: time, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            tellAlive: tellAlive)
    }

    @Test func `each keep-alive message follows a new successful ping`() async throws {
        try await WireListener.with { listener in
            let events = Mutex<[String]>([])
            let watchdog = Self.watchdog(listener.path, .seconds(1)) { events.withLock { $0.append("told") } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await watchdog.run() }
                var ignored: [WirePeer] = []
                for _ in 0..<2 {
                    ignored.append(try await listener.accept())
                    events.withLock { $0.append("asked") }
                }
                while events.withLock({ $0.last != "told" }) {
                    let peer = try await listener.accept()
                    events.withLock { $0.append("answered") }
                    // On a busy machine an answer may be late. The next ping follows.
                    try? await Self.answer(peer)
                }
                group.cancelAll()
            }
            #expect(events.withLock { $0.starts(with: ["asked", "asked", "answered"]) })
        }
    }

    private static func answer(_ peer: WirePeer) async throws {
        while let request = try await peer.receive() {
            // A client that has waited long also sends its own pings, with negative ids.
            let id = try #require(request.firstMatch(of: /"id":(-?\d+)/)).output.1
            try await peer.send(
                id == "0"
                    ? #"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"none","data":{"kind":"method_not_found"}}}"#
                    : #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
        }
    }

    @Test func `keep-alive messages are half the watchdog time apart`() async throws {
        try await TestServer.with(MethodTable()) { server in
            let (signs, sign) = AsyncStream.makeStream(of: Void.self)
            let watchdog = Self.watchdog(server.path, .milliseconds(400)) { sign.yield() }
            let clock = ContinuousClock()
            let start = clock.now
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await watchdog.run() }
                for await _ in signs.prefix(3) {}
                group.cancelAll()
            }
            #expect(clock.now - start >= .milliseconds(400))
        }
    }

    @Test func `an overloaded server counts as working`() async throws {
        var limits = Limits()
        limits.connections = 1
        try await TestServer.with(MethodTable(), limits: limits) { server in
            let only = try await WirePeer.connect(to: server.path)
            _ = try await only.exchange(#"{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}"#)
            try await Self.watchdog(server.path, .seconds(400)).ping()
        }
    }

    @Test func `a service whose event loop hangs does not count as working until the loop continues`() async throws {
        let release = DispatchSemaphore(value: 0)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let executor = LoopExecutor(group.next())
        try await TestServer.with(MethodTable(), executor: executor) { server in
            try await Self.watchdog(server.path, .seconds(400)).ping()
            executor.loop.execute { release.wait() }
            let error = await #expect(throws: RPCError.self) {
                try await Self.watchdog(server.path, .milliseconds(200)).ping()
            }
            #expect(error?.kind == .deadlineExceeded)
            release.signal()
            try await Self.watchdog(server.path, .seconds(400)).ping()
        }
        try await group.shutdownGracefully()
    }

    @Test func `a stopped service does not count as working`() async throws {
        try await withTemporaryDirectory { directory in
            let error = await #expect(throws: RPCError.self) {
                try await Self.watchdog(SocketPath(directory + "/none.sock"), .seconds(400)).ping()
            }
            #expect(error?.kind == .unavailable)
        }
    }

    @Test(
        arguments: [
            ([:], nil), (["WATCHDOG_USEC": "400"], .microseconds(400)), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "x"], nil), (["WATCHDOG_USEC": "-1"], nil),
            (["WATCHDOG_USEC": "400", "WATCHDOG_PID": "42"], .microseconds(400)),
            (["WATCHDOG_USEC": "400", "WATCHDOG_PID": "43"], nil), (["WATCHDOG_PID": "42"], nil),
        ] as [([String: String], Duration?)])
    func `a supervisor expects keep-alive messages from the named process, or from its child`(
        environment: [String: String], time: Duration?
    ) {
        #expect(Supervisor.watchdogTime(environment, process: 42) == time)
    }
}
