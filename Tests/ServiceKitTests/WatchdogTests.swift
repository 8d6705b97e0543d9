import Dispatch
import Logging
import NIOCore
import NIOPosix
import RPC
import RPCTestKit
import Testing
import Timing

@testable import ServiceKit

struct WatchdogTests {
    private static let time = Duration.seconds(10)

    /// The longest time that a ping may take.
    private static let pingTime = TimeAmount(time / 4)

    private static func watchdog(
        _ path: SocketPath, _ clock: ManualClock = ManualClock(), tellAlive: @escaping @Sendable () -> Void = {}
    ) -> Watchdog {
        Watchdog(
            path: path, time: time, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            executor: .timed(by: clock), tellAlive: tellAlive)
    }

    @Test func `each keep-alive message follows a new successful ping`() async throws {
        try await WireListener.with { listener in
            let clock = ManualClock()
            let events = Watched<[String]>([])
            let watchdog = Self.watchdog(listener.path, clock) { events.withLock { $0.append("told") } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await watchdog.run() }
                var ignored: [WirePeer] = []
                for _ in 0..<2 {
                    ignored.append(try await listener.accept())
                    events.withLock { $0.append("asked") }
                    await clock.waitForTimers(within: Self.pingTime)
                    await clock.advance(by: TimeAmount(Self.time / 2))
                }
                let peer = try await listener.accept()
                events.withLock { $0.append("answered") }
                try await Self.answer(peer)
                await events.wait { $0.last == "told" }
                group.cancelAll()
            }
            #expect(events.withLock(\.self) == ["asked", "asked", "answered", "told"])
        }
    }

    private static func answer(_ peer: WirePeer) async throws {
        while let request = try await peer.receive() {
            let id = try #require(request.firstMatch(of: /"id":(\d+)/)).output.1
            try await peer.send(
                id == "0"
                    ? #"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"none","data":{"kind":"method_not_found"}}}"#
                    : #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
        }
    }

    @Test func `keep-alive messages are half the watchdog time apart`() async throws {
        try await TestServer.with(MethodTable()) { server in
            let clock = ManualClock()
            let start = clock.now
            let (signs, sign) = AsyncStream.makeStream(of: TimeAmount.self)
            let watchdog = Self.watchdog(server.path, clock) { sign.yield(clock.now - start) }
            let half = TimeAmount(Self.time / 2)
            var times: [TimeAmount] = []
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await watchdog.run() }
                for await time in signs.prefix(3) {
                    times.append(time)
                    await clock.advance(by: half, once: 1)
                }
                group.cancelAll()
            }
            #expect(times == [.zero, half, half * 2])
        }
    }

    @Test func `an overloaded server counts as working`() async throws {
        var limits = Limits()
        limits.connections = 1
        try await TestServer.with(MethodTable(), limits: limits) { server in
            let only = try await WirePeer.connect(to: server.path)
            _ = try await only.exchange(#"{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}"#)
            try await Self.watchdog(server.path).ping()
        }
    }

    @Test func `a service whose event loop hangs does not count as working until the loop continues`() async throws {
        let release = DispatchSemaphore(value: 0)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let executor = LoopExecutor(group.next())
        try await TestServer.with(MethodTable(), executor: executor) { server in
            try await Self.watchdog(server.path).ping()
            executor.loop.execute { release.wait() }
            let clock = ManualClock()
            let error = await #expect(throws: RPCError.self) {
                async let _: Void = clock.advance(by: Self.pingTime, once: 1)
                try await Self.watchdog(server.path, clock).ping()
            }
            #expect(error?.kind == .deadlineExceeded)
            release.signal()
            try await Self.watchdog(server.path).ping()
        }
        try await group.shutdownGracefully()
    }

    @Test func `a stopped service does not count as working`() async throws {
        try await withTemporaryDirectory { directory in
            let error = await #expect(throws: RPCError.self) {
                try await Self.watchdog(SocketPath(directory + "/none.sock")).ping()
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
