import Testing

@testable import ImageData

@Suite struct HostBackoffTests {
    private var backoff = HostBackoff()
    private let start = Duration.seconds(1_000)

    @Test func `an unknown host may be requested`() {
        #expect(backoff.pause(of: "a", now: start) == nil)
    }

    @Test mutating func `a failed host is in backoff until exactly the end of its pause`() {
        backoff.failed("a", begun: start, now: start)
        let end = start + HostBackoff.first
        #expect(backoff.pause(of: "a", now: end - .nanoseconds(1)) == end)
        #expect(backoff.pause(of: "a", now: end) == nil)
        #expect(backoff.pause(of: "b", now: start) == nil)
    }

    @Test mutating func `after its pause a host has still failed, even when another one fails`() {
        backoff.failed("a", begun: start, now: start)
        let end = start + HostBackoff.first
        backoff.failed("b", begun: end, now: end)
        #expect(backoff.isInTrouble("a"))
    }

    @Test mutating func `the pause doubles with each failure, up to a second`() {
        let pauses = (0..<7).map { _ in fail("a") }
        #expect(pauses == [50, 100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    }

    @Test(arguments: [
        (Duration.milliseconds(49), HostBackoff.first), (.milliseconds(51), .milliseconds(51)),
        (.seconds(4) - .nanoseconds(1), .seconds(4) - .nanoseconds(1)), (.seconds(4), .seconds(4)),
        (.seconds(25), .seconds(4)),
    ])
    mutating func `a slow failure causes a pause of the same length, up to four seconds`(
        time: Duration, pause: Duration
    ) {
        let end = start + time
        backoff.failed("a", begun: start, now: end)
        #expect(backoff.pause(of: "a", now: end) == end + pause)
        #expect(backoff.pause(of: "a", now: end + pause) == nil)
    }

    @Test mutating func `a timeout does not lengthen the pause after a later quick failure`() {
        let end = start + .seconds(25)
        backoff.failed("a", begun: start, now: end)
        let next = end + HostBackoff.longestAfterWaiting
        backoff.failed("a", begun: next, now: next)
        #expect(backoff.pause(of: "a", now: next) == next + HostBackoff.first * HostBackoff.factor)
    }

    @Test mutating func `a host counts as failing until it answers`() {
        #expect(!backoff.isInTrouble("a"))
        backoff.failed("a", begun: start, now: start)
        #expect(backoff.isInTrouble("a"))
        backoff.succeeded("a")
        #expect(!backoff.isInTrouble("a"))
    }

    @Test mutating func `concurrent requests that fail count once`() {
        let later = start + .milliseconds(10)
        backoff.failed("a", begun: start, now: later)
        for _ in 0..<5 { backoff.failed("a", begun: start + .milliseconds(9), now: later + .milliseconds(20)) }
        #expect(backoff.pause(of: "a", now: later) == later + HostBackoff.first)
    }

    @Test mutating func `an answer resets the backoff`() {
        for _ in 0..<5 { _ = fail("a") }
        backoff.succeeded("a")
        #expect(backoff.pause(of: "a", now: start) == nil)
        #expect(fail("a") == HostBackoff.first)
    }

    @Test(arguments: [(HostBackoff.hostLimit - 1, true), (HostBackoff.hostLimit, false)])
    mutating func `the number of hosts is limited`(others: Int, isRemembered: Bool) {
        for number in 0..<others { backoff.failed("\(number)", begun: start, now: start) }
        backoff.failed("a", begun: start, now: start)
        #expect((backoff.pause(of: "a", now: start) != nil) == isRemembered)
    }

    @Test mutating func `hosts whose pause has ended are removed over the limit`() {
        for number in 0..<HostBackoff.hostLimit { backoff.failed("\(number)", begun: start, now: start) }
        let end = start + HostBackoff.first
        backoff.failed("a", begun: end, now: end)
        #expect(backoff.pause(of: "a", now: end) != nil)
    }

    /// - Returns: the pause after one more failure, at the end of the last pause.
    private mutating func fail(_ host: String) -> Duration? {
        var now = start
        while let end = backoff.pause(of: host, now: now) { now = end }
        backoff.failed(host, begun: now, now: now)
        return backoff.pause(of: host, now: now).map { $0 - now }
    }
}
