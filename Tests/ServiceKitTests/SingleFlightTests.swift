import Foundation
import ServiceKit
import Synchronization
import Testing

@Suite struct SingleFlightTests {
    private let flight = SingleFlight<Int, Int>()

    @Test func `one alone gets what it does`() async throws {
        #expect(try await flight.value(of: 1) { 42 } == 42)
        #expect(try await flight.value(of: 1) { 43 } == 43)
    }

    @Test func `a failure is everybody's, and over then`() async throws {
        await #expect(throws: Unreachable.self) { try await flight.value(of: 1) { throw Unreachable() } }
        #expect(try await flight.value(of: 1) { 42 } == 42)
    }

    @Test func `who comes meanwhile gets the same`() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await flight.value(of: 1) {
                    begin.finish()
                    for await _ in gate {}
                    return 42
                }
            }
            for await _ in begun {}
            // Other keys do not wait.
            #expect(try await flight.value(of: 2) { 7 } == 7)
            for _ in 1...10 {
                // A child task that is started at once is among the followers when this returns.
                group.addImmediateTask { try await flight.value(of: 1) { 0 } }
            }
            open.finish()
            for try await value in group { #expect(value == 42) }
        }
    }

    @Test func `when the first goes the next does it`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let values = try await withThrowingTaskGroup(of: Int.self) { followers in
            await withTaskGroup(of: Void.self) { leading in
                leading.addTask {
                    await #expect(throws: Unreachable.self) {
                        try await flight.value(of: 1) {
                            begin.finish()
                            // It never opens: only cancelling ends this.
                            for await _ in gate {}
                            throw Unreachable()
                        }
                    }
                }
                for await _ in begun {}
                for _ in 1...3 { followers.addImmediateTask { try await flight.value(of: 1) { 42 } } }
                leading.cancelAll()
            }
            return try await followers.reduce(into: []) { $0.append($1) }
        }
        open.finish()
        #expect(values == [42, 42, 42])
    }

    @Test func `a follower that goes does not wait on`() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await flight.value(of: 1) {
                    begin.finish()
                    for await _ in gate {}
                    return 42
                }
            }
            for await _ in begun {}
            await withTaskGroup(of: Bool.self) { followers in
                followers.addImmediateTask {
                    do {
                        _ = try await flight.value(of: 1) { 0 }
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
                followers.cancelAll()
                for await isCancelled in followers { #expect(isCancelled) }
            }
            open.finish()
            let value = try await group.next()
            #expect(value == 42)
        }
    }
}

private struct Unreachable: Error {}
