import Testing

@testable import RPC

struct BackoffTests {
    @Test func `the first attempt is immediate; pauses grow from 50 ms by 1.6, up to 2 s`() {
        var backoff = Backoff()
        let pauses = (0..<12).map { _ in backoff.next(random: 0) }
        let expected = [0, 50, 80, 128, 204.8, 327.68, 524.288, 838.8608, 1_342.17728, 2_000, 2_000, 2_000]
        for (pause, expected) in zip(pauses, expected) {
            #expect(abs(pause / .milliseconds(1) - expected) < 0.001)
        }
    }

    @Test func `pauses grow up to 200 ms while the peer's backlog is full`() {
        var backoff = Backoff(longest: Backoff.longestWhenBusy)
        let pauses = (0..<8).map { _ in backoff.next(random: 0) }
        #expect(pauses.last == .milliseconds(200))
    }

    @Test func `pauses vary by a fifth in both directions`() {
        for (random, factor) in [(-1.0, 0.8), (1.0, 1.2), (0.5, 1.1)] {
            var backoff = Backoff()
            #expect(backoff.next(random: random) == .zero)
            #expect(abs(backoff.next(random: random) / .milliseconds(50) - factor) < 0.001)
        }
        var backoff = Backoff()
        for _ in 0..<100 {
            let pause = backoff.next()
            #expect(pause <= Backoff.longest)
        }
    }

    @Test func `after a reset the next attempt is immediate`() {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.next() }
        backoff.reset()
        #expect(backoff.next() == .zero)
        #expect(backoff.next(random: 0) == .milliseconds(50))
    }
}
