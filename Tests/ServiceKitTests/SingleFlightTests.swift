import Foundation
import NIOCore
import RPC
import RPCTestKit
import ServiceKit
import Synchronization
import Testing
import Timing

struct SingleFlightTests {
    typealias Flight = SingleFlight<Int, Int>

    /// Work that blocks until `open`, and counts its starts and cancellations.
    private final class Work: Sendable {
        private let counts = Watched((begun: 0, cancelled: 0))
        private let (gate, opening) = AsyncStream.makeStream(of: Void.self)

        var begun: Int { counts.withLock { $0.begun } }
        var cancelled: Int { counts.withLock { $0.cancelled } }

        func open() { opening.finish() }

        func wait(begun: Int = 0, cancelled: Int = 0) async {
            await counts.wait { $0.begun >= begun && $0.cancelled >= cancelled }
        }

        @Sendable func value() async throws -> Int {
            let number = counts.withLock { counts in
                counts.begun += 1
                return counts.begun
            }
            for await _ in gate {}
            if Task.isCancelled { counts.withLock { $0.cancelled += 1 } }
            try Task.checkCancellation()
            return number
        }
    }

    private func withFlight(
        clock: ManualClock = ManualClock(), _ body: (Flight, Work) async throws -> Void
    ) async throws {
        let flight = Flight(clock: clock)
        // Cancelled at the end of this scope.
        async let _: Void = flight.run()
        try await body(flight, Work())
    }

    @Test func `a single caller gets the result`() async throws {
        try await withFlight { flight, _ async throws in
            #expect(try await flight.value(of: 1) { 42 } == 42)
            #expect(try await flight.value(of: 1) { 43 } == 43)
        }
    }

    @Test(arguments: [1, 2, 100]) func `a later caller gets the same result`(callers: Int) async throws {
        try await withFlight { flight, work async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<callers { group.addTask { try await flight.value(of: 1, work.value) } }
                await flight.wait(for: 1) { $0 == callers }
                await work.wait(begun: 1)
                // Other keys do not wait.
                #expect(try await flight.value(of: 2) { 7 } == 7)
                work.open()
                for try await value in group { #expect(value == 1) }
            }
            #expect(work.begun == 1 && flight.waiting(for: 1) == 0)
        }
    }

    @Test func `a failure goes to all waiting callers and is not cached`() async throws {
        try await withFlight { flight, work async throws in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        await #expect(throws: Unreachable.self) {
                            try await flight.value(of: 1) {
                                _ = try await work.value()
                                throw Unreachable()
                            }
                        }
                    }
                }
                await flight.wait(for: 1) { $0 == 3 }
                work.open()
            }
            #expect(try await flight.value(of: 1) { 42 } == 42)
        }
    }

    @Test(arguments: 0..<3) func `cancelling one of several callers restarts nothing`(leaver: Int) async throws {
        try await withFlight { flight, work async throws in
            let callers = (0..<3).map { _ in Task { try await flight.value(of: 1, work.value) } }
            await flight.wait(for: 1) { $0 == 3 }
            await work.wait(begun: 1)
            callers[leaver].cancel()
            await #expect(throws: CancellationError.self) { try await callers[leaver].value }
            #expect(flight.waiting(for: 1) == 2 && work.cancelled == 0)
            work.open()
            for (index, caller) in callers.enumerated() where index != leaver { #expect(try await caller.value == 1) }
            #expect(work.begun == 1)
        }
    }

    @Test(arguments: [1, 3]) func `cancelling the last caller cancels the work, and the next starts it again`(
        callers: Int
    )
        async throws
    {
        try await withFlight { flight, work async throws in
            let waiting = (0..<callers).map { _ in Task { try await flight.value(of: 1, work.value) } }
            await flight.wait(for: 1) { $0 == callers }
            await work.wait(begun: 1)
            for caller in waiting { caller.cancel() }
            for caller in waiting { await #expect(throws: CancellationError.self) { try await caller.value } }
            #expect(flight.waiting(for: 1) == 0)
            await work.wait(cancelled: 1)
            #expect(try await flight.value(of: 1) { 42 } == 42)
        }
    }

    @Test func `a cancelled caller starts no work`() async throws {
        try await withFlight { flight, work async throws in
            let caller = Task {
                await waitForCancellation()
                return try await flight.value(of: 1, work.value)
            }
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            #expect(work.begun == 0)
        }
    }

    @Test func `a caller after the join time starts new work`() async throws {
        let clock = ManualClock()
        try await withFlight(clock: clock) { flight, work async throws in
            let first = Task { try await flight.value(of: 1, work.value) }
            await work.wait(begun: 1)
            await clock.advance(by: .seconds(1))
            let joined = Task { try await flight.value(of: 1, work.value) }
            await flight.wait(for: 1) { $0 == 2 }
            await clock.advance(by: .nanoseconds(1))
            let second = Task { try await flight.value(of: 1, work.value) }
            await work.wait(begun: 2)
            work.open()
            #expect(try await first.value == joined.value)
            #expect(try await Set([first.value, second.value]) == [1, 2])
        }
    }

    @Test func `the work runs with the trace of the first caller`() async throws {
        try await withFlight { flight, _ async throws in
            let trace = TraceContext.random()
            let seen = Mutex<TraceContext?>(nil)
            try await TraceContext.$current.withValue(trace) {
                _ = try await flight.value(of: 1) {
                    seen.withLock { $0 = TraceContext.current }
                    return 1
                }
            }
            #expect(seen.withLock(\.self)?.id == trace.id)
        }
    }

    @Test func `when run ends no caller is left waiting`() async throws {
        let (flight, work) = (Flight(), Work())
        let running = Task { await flight.run() }
        let caller = Task { try await flight.value(of: 1, work.value) }
        await work.wait(begun: 1)
        running.cancel()
        await running.value
        await #expect(throws: CancellationError.self) { try await caller.value }
        await #expect(throws: CancellationError.self) { try await flight.value(of: 2) { 1 } }
    }
}

private struct Unreachable: Error {}
