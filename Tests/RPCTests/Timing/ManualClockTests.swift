import NIOCore
import RPC
import RPCTestKit
import Testing
import Timing

/// The clock of all tests of deadlines and pauses.
struct ManualClockTests {
    private let clock = ManualClock()
    private let loop = LoopExecutor.shared.loop
    private let fired = Watched<[String]>([])

    /// Sets a timer that records its name and the time.
    @discardableResult
    private func schedule(_ name: String, in time: TimeAmount) async -> Scheduled<Void> {
        let (clock, loop, fired, start) = (clock, loop, fired, clock.now)
        return await withCheckedContinuation { continuation in
            loop.execute {
                let timer = clock.schedule(in: time, on: loop) {
                    loop.assertInEventLoop()
                    fired.withLock { $0.append("\(name) \((clock.now - start).nanoseconds)") }
                }
                continuation.resume(returning: timer)
            }
        }
    }

    /// Sleeps in a task, which records its name.
    private func sleep(_ name: String, for time: Duration) -> Task<Void, any Error> {
        let (clock, fired) = (clock, fired)
        return Task {
            try await clock.sleep(for: time)
            fired.withLock { $0.append(name) }
        }
    }

    private var all: [String] { fired.withLock { $0 } }

    @Test func `time passes only when it is advanced`() async throws {
        let start = clock.now
        #expect(clock.now == start && clock.now(on: loop) == start)
        await clock.advance(by: .nanoseconds(3))
        #expect(clock.now == start + .nanoseconds(3))
        #expect(clock.timeLeft(until: start) == .nanoseconds(-3))
        try await clock.sleep(until: start)
    }

    @Test func `timers run in the order of their deadlines, each at its deadline, and not before`() async {
        for (name, time) in [("c", 30), ("a", 10), ("d", 30), ("b", 20)] {
            await schedule(name, in: .nanoseconds(Int64(time)))
        }
        await clock.advance(by: .nanoseconds(9))
        #expect(all == [])
        await clock.advance(by: .nanoseconds(1))
        #expect(all == ["a 10"])
        await clock.advance(by: .nanoseconds(25))
        #expect(all == ["a 10", "b 20", "c 30", "d 30"])
    }

    @Test func `a timer that a timer sets runs too, if it is due`() async {
        let (clock, loop, fired) = (clock, loop, fired)
        loop.execute {
            clock.schedule(in: .nanoseconds(10), on: loop) {
                clock.schedule(in: .nanoseconds(10), on: loop) { fired.withLock { $0.append("second") } }
                clock.schedule(in: .nanoseconds(11), on: loop) { fired.withLock { $0.append("third") } }
            }
        }
        await clock.advance(by: .nanoseconds(20), once: 1)
        #expect(all == ["second"])
    }

    @Test func `a cancelled timer never runs`() async {
        let timer = await schedule("a", in: .nanoseconds(10))
        await schedule("b", in: .nanoseconds(10))
        timer.cancel()
        await clock.advance(by: .hours(1))
        #expect(all == ["b 10"])
    }

    @Test func `a sleep ends at its deadline`() async throws {
        let sleeper = sleep("a", for: .nanoseconds(10))
        #expect(await clock.timeToNextWake() == .nanoseconds(10))
        await clock.advance(by: .nanoseconds(9))
        #expect(await clock.timeToNextWake() == .nanoseconds(1))
        await clock.advance(by: .nanoseconds(1))
        try await sleeper.value
        #expect(all == ["a"])
    }

    @Test func `a sleep ends when its task is cancelled, and does not count any more`() async throws {
        let sleeper = sleep("a", for: .nanoseconds(10))
        await clock.waitForTimers(within: .nanoseconds(10))
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        let other = sleep("b", for: .nanoseconds(20))
        #expect(await clock.timeToNextWake() == .nanoseconds(20))
        await clock.advance(by: .nanoseconds(20))
        try await other.value
        #expect(all == ["b"])
    }

    @Test func `a task that is cancelled already does not sleep`() async {
        let sleeper = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `timers and sleeps count that end within a time, at its end too`() async throws {
        await schedule("a", in: .nanoseconds(10))
        let sleeper = sleep("b", for: .nanoseconds(20))
        await clock.waitForTimers(2, within: .nanoseconds(20))
        let early = Task { [clock] in await clock.waitForTimers(2, within: .nanoseconds(19)) }
        await schedule("c", in: .nanoseconds(19))
        await early.value
        await clock.advance(by: .nanoseconds(20), once: 3)
        try await sleeper.value
        #expect(all == ["a 10", "c 19", "b"])
    }

    @Test func `after a jump, timers run late, in order`() async {
        for (name, time) in [("b", 20), ("a", 10), ("c", 31)] { await schedule(name, in: .nanoseconds(Int64(time))) }
        clock.jump(by: .nanoseconds(30))
        await fired.wait { $0.count == 2 }
        #expect(all == ["a 30", "b 30"])
        await clock.advance(by: .nanoseconds(1))
        #expect(all == ["a 30", "b 30", "c 31"])
    }
}
