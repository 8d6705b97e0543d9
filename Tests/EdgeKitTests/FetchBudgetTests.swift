import NIOCore
import RPCTestKit
import Synchronization
import Testing

@testable import EdgeKit
@testable import Upstream

@Suite struct FetchBudgetTests {
    @Test(
        arguments: [
            (.zero, .zero), (.seconds(-1), .zero), (.milliseconds(400), .milliseconds(300)),
            (.milliseconds(1_996), .milliseconds(1_497)), (.seconds(2), .milliseconds(1_500)),
            (.milliseconds(2_004), .milliseconds(1_504)), (.milliseconds(10_499), .milliseconds(9_999)),
            (.milliseconds(10_500), .seconds(10)), (.milliseconds(10_501), .seconds(10)),
            (.seconds(1_000_000_000), .seconds(10)),
        ] as [(Duration, Duration)])
    func `time is reserved for the cached answer`(remaining: Duration, budget: Duration) {
        #expect(FetchBudget.time(of: remaining) == budget)
    }

    @Test(
        arguments: [
            (.zero, .zero), (.milliseconds(400), .milliseconds(300)), (.seconds(30), .milliseconds(29_500)),
        ] as [(Duration, Duration)])
    func `without a fallback the upstream may use all the caller's time`(remaining: Duration, budget: Duration) {
        #expect(FetchBudget.time(of: remaining, hasFallback: false) == budget)
        #expect(FetchBudget.time(of: remaining, isAbsent: true, hasFallback: false) == min(budget, FetchBudget.fair))
    }

    @Test(
        arguments: [
            (.milliseconds(400), .milliseconds(300)), (.milliseconds(1_500), .seconds(1)), (.seconds(30), .seconds(1)),
        ] as [(Duration, Duration)])
    func `an absent upstream gets less time`(remaining: Duration, budget: Duration) {
        #expect(FetchBudget.time(of: remaining, isAbsent: true) == budget)
    }

    @Test(arguments: [(999, false), (1_000, true), (1_001, true)])
    func `a timeout after too short a time does not count as the upstream's failure`(milliseconds: Int, isFair: Bool) {
        #expect(FetchBudget.Spent(time: .milliseconds(milliseconds)).isFair == isFair)
    }

    @Test(arguments: [(.seconds(10), "10000"), (.microseconds(1_497_714), "1497")] as [(Duration, String)])
    func `the error gives the time in milliseconds`(time: Duration, milliseconds: String) {
        #expect("\(FetchBudget.Spent(time: time))" == "it has not answered within \(milliseconds) ms")
    }

    @Test func `a result in time is returned, a late task is cancelled`() async throws {
        let clock = ManualClock()
        let result = try await FetchBudget.run(within: FetchBudget.most, on: clock) { 42 }
        #expect(result == 42)
        let wasCancelled = Mutex(false)
        await #expect(throws: FetchBudget.Spent(time: FetchBudget.most)) {
            async let _: Void = clock.advance(by: TimeAmount(FetchBudget.most), once: 1)
            try await FetchBudget.run(within: FetchBudget.most, on: clock) {
                await waitForCancellation()
                wasCancelled.withLock { $0 = Task.isCancelled }
            }
        }
        #expect(wasCancelled.withLock { $0 })
    }
}
