import EdgeKit
import Foundation
import NIOCore
import RPC
import RPCTestKit
import Testing
import Upstream

struct UpstreamAskingTests {
    private let log = RecordedLog()
    private let clock = ManualClock()
    private let monitor: UpstreamMonitor

    init() throws {
        monitor = UpstreamMonitor(try UpstreamBase("http://origin.example"), logger: log.logger, clock: clock)
    }

    private struct Unreachable: Error {}

    @Test(
        arguments: [
            (Unreachable(), .degraded), (FetchBudget.Spent(time: .seconds(1)), .degraded),
            (FetchBudget.Spent(time: .milliseconds(999)), .serving), (UpstreamMonitor.Failure.rejected("x"), .degraded),
            (UpstreamError.overloaded("x"), .serving),
        ] as [(any Error, Health.Status)])
    func `without a usable answer the caller falls back`(error: any Error, status: Health.Status) async throws {
        let answer = try await monitor.asking("a", within: .seconds(60)) { () async throws -> Int in throw error }
        #expect(answer == nil)
        #expect(monitor.check.status == status)
    }

    @Test(arguments: [(2_000, ["upstream"]), (2_001, ["upstream", "slow:upstream"])] as [(Int64, [String])])
    func `an upstream whose requests take over 2 s is named until it is fast again`(
        milliseconds: Int64, names: [String]
    ) async throws {
        for _ in 1...Slowness.fewestUses {
            _ = try await monitor.asking("a", within: .seconds(60)) { [clock] in
                clock.jump(by: .milliseconds(milliseconds))
                return 1
            }
        }
        #expect(monitor.checks.map(\.name) == names)
        await clock.advance(by: .seconds(60))
        #expect(monitor.checks.map(\.name) == ["upstream"])
    }

    @Test func `an error for the caller is a valid answer`() async throws {
        monitor.failed("a", .absent("refused"))
        await #expect(throws: RPCError(.notFound, "no image")) {
            try await monitor.asking("a", within: .seconds(60)) { throw RPCError(.notFound, "no image") }
        }
        #expect(monitor.check.status == .serving)
        #expect(!monitor.isAbsent)
    }

    @Test func `an answer in time is returned, and a late one is not awaited`() async throws {
        #expect(try await monitor.asking("a", within: .seconds(60)) { 1 } == 1)
        async let late = monitor.asking("a", within: FetchBudget.most) {
            await waitForCancellation()
            return 1
        }
        await clock.advance(by: TimeAmount(FetchBudget.most), once: 1)
        #expect(try await late == nil)
        #expect(monitor.isAbsent)
    }

    @Test func `a cancelled call does not fall back`() async throws {
        let call = Task {
            try await monitor.asking("a", within: .seconds(3_600)) {
                await waitForCancellation()
                throw CancellationError()
            }
        }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(log.lines == [])
    }
}
