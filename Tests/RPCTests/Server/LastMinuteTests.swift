import NIOCore
import Testing

@testable import RPC

@Suite struct LastMinuteTests {
    private static func time(_ seconds: Double) -> NIODeadline { .uptimeNanoseconds(UInt64(seconds * 1_000_000_000)) }

    /// - Parameter seconds: when a call ends.
    private static func calls(_ seconds: [Double]) -> LastMinute<CallCounts> {
        var minute = LastMinute<CallCounts>()
        for second in seconds { minute.add(at: time(second)) { $0.calls += 1 } }
        return minute
    }

    @Test(
        arguments: [
            ([], 100, 0), ([100], 100, 1), ([100], 154.9, 1), ([104.9], 159.9, 1), ([100], 160, 0), ([104.9], 160, 0),
            ([105], 160, 1), ([0, 1, 2], 3, 3), ([0, 30, 59], 59.9, 3), ([0, 30, 59], 60, 2), ([1, 2, 300], 300, 1),
        ] as [([Double], Double, Int)])
    func `a call counts for a minute, less up to five seconds`(ends: [Double], now: Double, count: Int) {
        #expect(Self.calls(ends).counts(at: Self.time(now)).calls == count)
    }

    @Test func `calls of threads that have read the clock in another order are counted`() {
        let minute = Self.calls([10, 4, 10, 4])
        #expect(minute.counts(at: Self.time(11)).calls == 4)
        #expect(minute.counts(at: Self.time(65)).calls == 4)
    }

    @Test func `errors and latencies are summed`() {
        var minute = LastMinute<CallCounts>()
        for second in [1.0, 7, 8] {
            minute.add(at: Self.time(second)) { counts in
                counts.errors["overloaded", default: 0] += 1
                counts.latency.add(.milliseconds(1))
            }
        }
        let counts = minute.counts(at: Self.time(9))
        #expect(counts.errors == ["overloaded": 3] && counts.latency.count == 3)
    }

    @Test func `its size is fixed`() {
        let minute = Self.calls((0..<10_000).map(Double.init))
        #expect(Mirror(reflecting: minute).children.count { _ in true } == 1)
        #expect(Mirror(reflecting: minute).descendant("steps").map { Mirror(reflecting: $0).children.count } == 12)
    }
}
