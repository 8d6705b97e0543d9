import Testing

@testable import ImageData

@Suite struct HostBackoffTests {
    private var backoff = HostBackoff()
    private let start = ContinuousClock.now

    @Test func `a host that is not known may be asked`() {
        #expect(backoff.pause(of: "a", now: start) == nil)
    }

    @Test mutating func `a host that has failed is left alone until the very moment`() {
        backoff.failed("a", begun: start, now: start)
        let end = start + HostBackoff.first
        #expect(backoff.pause(of: "a", now: end - .nanoseconds(1)) == end)
        #expect(backoff.pause(of: "a", now: end) == nil)
        #expect(backoff.pause(of: "b", now: start) == nil)
    }

    @Test mutating func `the time doubles with each failure, up to a second`() {
        let pauses = (0..<7).map { _ in fail("a") }
        #expect(pauses == [50, 100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    }

    @Test(arguments: [
        (Duration.milliseconds(49), HostBackoff.first), (.milliseconds(51), .milliseconds(51)),
        (.seconds(4) - .nanoseconds(1), .seconds(4) - .nanoseconds(1)), (.seconds(4), .seconds(4)),
        (.seconds(25), .seconds(4)),
    ])
    mutating func `a host that took long to fail is left alone for as long, up to four seconds`(
        time: Duration, pause: Duration
    ) {
        let end = start + time
        backoff.failed("a", begun: start, now: end)
        #expect(backoff.pause(of: "a", now: end) == end + pause)
        #expect(backoff.pause(of: "a", now: end + pause) == nil)
    }

    @Test mutating func `a time limit that has expired does not lengthen the pause after a quick failure`() {
        let end = start + .seconds(25)
        backoff.failed("a", begun: start, now: end)
        let next = end + HostBackoff.longestAfterWaiting
        backoff.failed("a", begun: next, now: next)
        #expect(backoff.pause(of: "a", now: next) == next + HostBackoff.first * HostBackoff.factor)
    }

    @Test mutating func `a host is in trouble until it answers`() {
        #expect(!backoff.isInTrouble("a"))
        backoff.failed("a", begun: start, now: start)
        #expect(backoff.isInTrouble("a"))
        backoff.succeeded("a")
        #expect(!backoff.isInTrouble("a"))
    }

    @Test mutating func `requests that were under way together count once`() {
        let later = start + .milliseconds(10)
        backoff.failed("a", begun: start, now: later)
        for _ in 0..<5 { backoff.failed("a", begun: start + .milliseconds(9), now: later + .milliseconds(20)) }
        #expect(backoff.pause(of: "a", now: later) == later + HostBackoff.first)
    }

    @Test mutating func `an answer ends all of it`() {
        for _ in 0..<5 { _ = fail("a") }
        backoff.succeeded("a")
        #expect(backoff.pause(of: "a", now: start) == nil)
        #expect(fail("a") == HostBackoff.first)
    }

    @Test(arguments: [(HostBackoff.hostLimit - 1, true), (HostBackoff.hostLimit, false)])
    mutating func `only so many hosts are remembered`(others: Int, isRemembered: Bool) {
        for number in 0..<others { backoff.failed("\(number)", begun: start, now: start) }
        backoff.failed("a", begun: start, now: start)
        #expect((backoff.pause(of: "a", now: start) != nil) == isRemembered)
    }

    @Test mutating func `hosts whose time is over make room`() {
        for number in 0..<HostBackoff.hostLimit { backoff.failed("\(number)", begun: start, now: start) }
        let end = start + HostBackoff.first
        backoff.failed("a", begun: end, now: end)
        #expect(backoff.pause(of: "a", now: end) != nil)
    }

    /// - Returns: how long the host is left alone after one more failure, at the end of the time of the last one.
    private mutating func fail(_ host: String) -> Duration? {
        var now = start
        while let end = backoff.pause(of: host, now: now) { now = end }
        backoff.failed(host, begun: now, now: now)
        return backoff.pause(of: host, now: now).map { $0 - now }
    }
}
