import NIOCore
import Testing

@testable import image_data_service

@Suite(.timeLimit(.minutes(5))) struct FetchBudgetTests {
    private static let now = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test(arguments: [
        (TimeAmount.milliseconds(0), TimeAmount.milliseconds(0)), (.milliseconds(4), .milliseconds(3)),
        (.milliseconds(13_332), .milliseconds(9_999)), (.milliseconds(13_334), FetchBudget.longest),
        (.hours(1), FetchBudget.longest),
    ])
    func `an origin has three quarters of the caller's time, and ten seconds at most`(
        left: TimeAmount, budget: TimeAmount
    ) {
        #expect(FetchBudget.time(until: Self.now + left, now: Self.now) == budget)
    }

    @Test func `a caller without a deadline waits as long as anybody`() {
        #expect(FetchBudget.time(until: .distantFuture, now: Self.now) == FetchBudget.longest)
    }

    @Test func `what is in time is answered`() async throws {
        let answer = try await FetchBudget.run(until: .distantFuture) { 1 }
        #expect(answer == 1)
    }

    @Test(arguments: [TimeAmount.milliseconds(-100), .milliseconds(0), .milliseconds(10)])
    func `what takes longer is cancelled`(left: TimeAmount) async throws {
        await #expect(throws: FetchBudget.Spent.self) {
            try await FetchBudget.run(until: .now() + left) { try await Task.sleep(for: .seconds(3_600)) }
        }
    }

    @Test func `who is cancelled cancels it`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let run = Task {
            try await FetchBudget.run(until: .distantFuture) {
                begin.finish()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        for await _ in begun {}
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }
}
