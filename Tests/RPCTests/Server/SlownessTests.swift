import Foundation
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

/// When a part of a service is slow.
struct SlownessTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private let date = Date(timeIntervalSince1970: 5_000)
    private static let limit = TimeAmount.milliseconds(250)

    private func check(_ slowness: inout Slowness, at second: Int64) -> Health.Check? {
        slowness.check(
            "store", title: "the store", remedy: "look", at: start + .seconds(second),
            date: date.addingTimeInterval(Double(second)))
    }

    private func slowness(_ times: [(TimeAmount, second: Int64)]) -> Slowness {
        var slowness = Slowness(limit: Self.limit)
        for (time, second) in times { slowness.note(time, at: start + .seconds(second)) }
        return slowness
    }

    private func uses(_ count: Int, slow: Int, second: Int64 = 0) -> [(TimeAmount, second: Int64)] {
        // The slow ones last, because a state that has begun ends at a lower share.
        (0..<count).map { ($0 < count - slow ? Self.limit : Self.limit + .nanoseconds(1), second) }
    }

    @Test(arguments: [(10, 5, true), (10, 4, false), (9, 9, false), (100, 50, true), (101, 50, false), (10, 0, false)])
    func `a part is slow when half of at least ten uses took longer than the limit`(
        count: Int, slow: Int, isSlow: Bool
    ) {
        var slowness = slowness(uses(count, slow: slow))
        #expect((check(&slowness, at: 0) != nil) == isSlow)
    }

    @Test func `the check names the part, the share, the limit, the remedy and the time`() {
        var slowness = slowness(uses(10, slow: 6, second: 3))
        let expected = Health.Check(
            name: "slow:store", status: .degraded,
            detail: "the store is slow: 6 of 10 uses in the last minute took over 250 ms; look",
            since: date.addingTimeInterval(3))
        #expect(check(&slowness, at: 9) == expected)
        #expect(expected.leavesUsable && !Health.Check(name: "store", status: .serving, since: date).leavesUsable)
    }

    @Test(arguments: [
        ("store", false), ("slow:store", true), ("content:store", true), ("writes:store", true),
        ("changes:store", true),
        ("cache", true), ("upstream", true),
    ])
    func `a service is without its store while that cannot be read`(name: String, hasStore: Bool) {
        let failing = Health.Check(name: name, status: .degraded, since: date)
        let serving = Health.Check(name: "store", status: .serving, since: date)
        #expect(Health([failing]).isWithoutStore == !hasStore)
        #expect(failing.leavesUsable == name.contains(":"))
        #expect(!Health([serving]).isWithoutStore && !Health([]).isWithoutStore)
    }

    @Test(arguments: [(40, true), (41, false)])
    func `a slow part recovers when fewer than a fifth of its uses are slow`(fast: Int, isSlow: Bool) {
        var slowness = slowness(uses(10, slow: 10) + uses(fast, slow: 0, second: 20))
        #expect((check(&slowness, at: 20) != nil) == isSlow)
    }

    @Test func `uses count for a minute, in steps of five seconds`() {
        var slowness = slowness(uses(10, slow: 10))
        #expect(check(&slowness, at: 59)?.since == date)
        #expect(check(&slowness, at: 60) == nil)
        slowness.note(Self.limit * 2, at: start + .seconds(61))
        #expect(check(&slowness, at: 61) == nil)
    }

    @Test func `a part that was slow twice is slow since the second time`() {
        var slowness = slowness(uses(10, slow: 10) + uses(10, slow: 10, second: 3_600))
        #expect(check(&slowness, at: 3_601)?.since == date.addingTimeInterval(3_600))
    }

    // MARK: Methods

    /// A server whose `echo.say` takes a time of the test's clock.
    private func with(
        _ body: (RPCClient, ManualClock, @escaping @Sendable (TimeAmount) -> Void) async throws -> Void
    ) async throws {
        let (clock, time) = (ManualClock(), TimeBox())
        var table = EchoContract.table
        table.handle(EchoContract.echo) { params, _ in
            clock.jump(by: time.value)
            return params
        }
        try await TestServer.with(table, executor: .timed(by: clock)) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") {
                try await body($0, clock) { time.value = $0 }
            }
        }
    }

    @Test func `a slow method is named in rpc·health until it is fast again`() async throws {
        try await with { client, clock, take in
            take(Slowness.callLimit + .milliseconds(1))
            for _ in 1...Slowness.fewestUses { _ = try await client.call(EchoContract.echo, .init(text: "a")) }
            let health = try await client.call(ProtocolMethods.health, ServiceSelection())
            #expect(health.status == .serving && health.checks.map(\.name) == ["slow:echo.say"])
            #expect(health.checks.first?.detail?.hasPrefix("echo.say is slow: 10 of 10 uses") == true)
            await clock.advance(by: .seconds(60))
            let later = try await client.call(ProtocolMethods.health, ServiceSelection())
            #expect(later == Health(.serving, []))
        }
    }

    @Test(arguments: [CallPriority.visible, .prefetch])
    func `calls that nobody waits for do not count`(priority: CallPriority) async throws {
        try await with { client, _, take in
            take(2 * Slowness.callLimit)
            for _ in 1...Slowness.fewestUses {
                var options = CallOptions()
                options.priority = priority
                _ = try await client.call(EchoContract.echo, .init(text: "a"), options)
            }
            let isSlow = try await !client.call(ProtocolMethods.health, ServiceSelection()).checks.isEmpty
            #expect(isSlow == (priority == .visible))
        }
    }
}

private final class TimeBox: Sendable {
    private let stored = Mutex(TimeAmount.zero)

    var value: TimeAmount {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
