import NIOCore
import Testing

@testable import RPC

struct RetryBudgetTests {
    private static func now(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .milliseconds(milliseconds)
    }

    @Test func `three calls a second may always be sent again`() {
        var budget = RetryBudget()
        for second in Int64(0)..<3 {
            let taken = [0, 1, 2, 3, 999].map { budget.take(now: Self.now(second * 1_000 + $0)) }
            #expect(taken == [true, true, true, false, false])
        }
    }

    @Test func `beyond that, one for each ten calls`() {
        var budget = RetryBudget()
        func take(_ count: Int, after calls: Int) -> [Bool] {
            for _ in 0..<calls { budget.earn() }
            return (0..<count).map { _ in budget.take(now: Self.now(0)) }
        }
        let taken = [take(3, after: 0), take(1, after: 9), take(2, after: 1), take(3, after: 25)]
        #expect(taken == [[true, true, true], [false], [true, false], [true, true, false]])
    }

    @Test func `saved retries have a limit`() {
        var budget = RetryBudget()
        for _ in 0..<1_000_000 { budget.earn() }
        let taken = (0..<1_000).map { _ in budget.take(now: Self.now(0)) }.count { $0 }
        #expect(taken == RetryBudget.perSecond + RetryBudget.most)
    }
}
