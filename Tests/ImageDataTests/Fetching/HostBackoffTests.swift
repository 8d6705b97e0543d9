import Testing

@testable import ImageData

@Suite struct HostBackoffTests {
    private var backoff = HostBackoff()
    private let start = Duration.seconds(1_000)

    @Test mutating func `a failed host is paused until exactly the end of its pause`() {
        #expect(!backoff.isPaused("a", now: start))
        backoff.failed("a", now: start)
        let end = start + HostBackoff.pause
        #expect(backoff.isPaused("a", now: end - .nanoseconds(1)))
        #expect(!backoff.isPaused("a", now: end))
        #expect(!backoff.isPaused("b", now: start))
    }

    @Test mutating func `the last failure counts`() {
        backoff.failed("a", now: start)
        backoff.failed("a", now: start + .milliseconds(1))
        #expect(backoff.isPaused("a", now: start + HostBackoff.pause))
        #expect(!backoff.isPaused("a", now: start + HostBackoff.pause + .milliseconds(1)))
    }

    @Test mutating func `a host is in trouble until it answers, even when another one fails`() {
        #expect(!backoff.isInTrouble("a"))
        backoff.failed("a", now: start)
        backoff.failed("b", now: start + HostBackoff.pause)
        #expect(backoff.isInTrouble("a"))
        backoff.answered("a")
        #expect(!backoff.isInTrouble("a") && !backoff.isPaused("a", now: start))
    }

    @Test(arguments: [(HostBackoff.hostLimit - 1, true), (HostBackoff.hostLimit, false)])
    mutating func `the number of hosts is limited`(others: Int, isRemembered: Bool) {
        for number in 0..<others { backoff.failed("\(number)", now: start) }
        backoff.failed("a", now: start)
        #expect(backoff.isInTrouble("a") == isRemembered)
        // A host in the table stays there.
        backoff.failed("0", now: start + .milliseconds(1))
        #expect(backoff.isPaused("0", now: start + HostBackoff.pause))
    }

    @Test mutating func `hosts whose pause has ended are removed over the limit`() {
        for number in 0..<HostBackoff.hostLimit { backoff.failed("\(number)", now: start) }
        backoff.failed("a", now: start + HostBackoff.pause)
        #expect(backoff.isInTrouble("a") && !backoff.isInTrouble("0"))
    }
}
