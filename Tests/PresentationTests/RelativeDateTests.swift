import Foundation
import Presentation
import Testing

struct RelativeDateTests {
    /// A limit in seconds, the unit below it, the count of this unit just before the limit, and the unit above it.
    static let limits: [(TimeInterval, RelativeDate.Unit, Int, RelativeDate.Unit)] = [
        (Moments.minute, .second, 59, .minute),
        (Moments.hour, .minute, 59, .hour),
        (Moments.day, .hour, 23, .day),
        (7 * Moments.day, .day, 6, .week),
    ]

    @Test(arguments: limits)
    func `a unit begins exactly at its limit`(
        limit: TimeInterval, below: RelativeDate.Unit, count: Int, unit: RelativeDate.Unit
    ) {
        #expect(age(limit - 1) == .ago(count, below))
        #expect(age(limit) == .ago(1, unit))
        #expect(age(limit + 1) == .ago(1, unit))
    }

    @Test(arguments: limits)
    func `whole units are truncated and never rounded up`(
        limit: TimeInterval, below: RelativeDate.Unit, count: Int, unit: RelativeDate.Unit
    ) {
        #expect(age(limit - 0.001) == .ago(count, below))
        #expect(age(2 * limit - 1) == .ago(1, unit))
        #expect(age(2 * limit) == .ago(2, unit))
        #expect(age(2 * limit + 1) == .ago(2, unit))
    }

    @Test(arguments: [
        (90, RelativeDate.ago(1, .minute)), (119 * Moments.minute, .ago(1, .hour)), (47 * Moments.hour, .ago(1, .day)),
        (13 * Moments.day, .ago(1, .week)), (30 * Moments.day, .ago(4, .week)),
    ])
    func `an age is rounded down to whole units`(seconds: TimeInterval, expected: RelativeDate) {
        #expect(age(seconds) == expected)
    }

    @Test func `a second begins exactly one second ago`() {
        #expect(age(0.999) == .now)
        #expect(age(1) == .ago(1, .second))
        #expect(age(1.999) == .ago(1, .second))
    }

    @Test(arguments: [0, 0.001, 1, Moments.hour, 1_000 * Moments.day])
    func `a date in the future is now`(seconds: TimeInterval) {
        #expect(age(-seconds) == .now)
    }

    private func age(_ seconds: TimeInterval) -> RelativeDate {
        RelativeDate(Moments.ago(seconds), now: Moments.now)
    }
}
