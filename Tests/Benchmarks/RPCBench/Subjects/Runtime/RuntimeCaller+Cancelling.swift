import BenchKit
import RPC

/// Cancels calls while others run.
extension RuntimeCaller {
    /// Measures the time from the cancellation of a call until its handler sees it. Of the other calls only the number is
    /// reported.
    static func measureCancelling(_ load: Load, over clients: [RPCClient]) async throws -> Measurement {
        _ = try await cancelCall(clients[0], number: 0)
        let firstAnswer = WallClock.now()
        let period = Period(load, tallies: 1)
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            group.addTask { try await keepCancelling(period, clients[0]) }
            for caller in 0..<load.underWay {
                group.addTask { try await keepCalling(load, period, clients[caller % clients.count]) }
            }
            return try await group.reduce(into: Tally(period)) { $0.add($1) }
        }
        return Measurement(tally, firstAnswer: firstAnswer)
    }

    private static func keepCalling(_ load: Load, _ period: Period, _ client: RPCClient) async throws -> Tally {
        var tally = Tally(period)
        while MonotonicTime.now() < period.until {
            if try await !get(client, load.replyBytes) { tally.shed += 1 }
            tally.addUnmeasured()
        }
        return tally
    }

    private static func keepCancelling(_ period: Period, _ client: RPCClient) async throws -> Tally {
        var tally = Tally(period)
        var number = 0
        var cancelledAt: Int64
        var seenAt: Int64
        repeat {
            number += 1
            (cancelledAt, seenAt) = try await cancelCall(client, number: number)
        } while tally.add(from: cancelledAt, to: seenAt)
        return tally
    }

    /// - Returns: the time of the cancellation, and the time at which the handler saw it. Both processes use the same clock.
    private static func cancelCall(
        _ client: RPCClient, number: Int
    ) async throws -> (cancelledAt: Int64, seenAt: Int64) {
        let cancelledAt = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(RPCError) {
                    _ = try await client.call(BenchContract.wait, BenchContract.Wait(number: number))
                    throw RPCError(.internalError, "a call that waits was answered")
                } catch {
                    guard error.kind == .cancelled else { throw error }
                }
            }
            _ = try await state(client, number, "has not begun") { $0.hasBegun ? true : nil }
            let now = MonotonicTime.now()
            group.cancelAll()
            try await group.waitForAll()
            return now
        }
        return (cancelledAt, try await state(client, number, "did not see that it was cancelled") { $0.cancelledAt })
    }

    private static let secondsUntilGivenUp: Int64 = 5

    /// Polls until the wanted state is reached.
    private static func state<Part>(
        _ client: RPCClient, _ number: Int, _ complaint: String, _ part: (BenchContract.WaitState) -> Part?
    ) async throws -> Part {
        let limit = MonotonicTime.now() + secondsUntilGivenUp * 1_000_000_000
        while MonotonicTime.now() < limit {
            let state = try await client.call(BenchContract.cancelled, BenchContract.Wait(number: number))
            if let part = part(state) { return part }
        }
        throw Failure("handler \(number) \(complaint)")
    }
}
