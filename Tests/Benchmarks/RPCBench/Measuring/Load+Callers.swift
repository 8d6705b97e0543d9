import BenchKit

extension Load {
    /// Keeps calls under way over connections of any kind.
    /// - Parameter call: asks for a reply of so many bytes, and returns how often it was refused because of overload.
    func measure<Connection: Sendable>(
        over connections: [Connection], call: @escaping @Sendable (Connection, Int) async throws -> Int
    ) async throws -> Measurement {
        _ = try await call(connections[0], replyBytes)
        let firstAnswer = WallClock.now()
        let period = Period(self, tallies: underWay)
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for _ in 0..<largeCallers { group.addTask { try await keepFetching(period, connections[0], call) } }
            for caller in 0..<underWay {
                let connection = connections[caller % connections.count]
                group.addTask { try await keepCalling(period, connection, call) }
            }
            return try await group.reduce(into: Tally(period)) { $0.add($1) }
        }
        return Measurement(tally, firstAnswer: firstAnswer)
    }

    private func keepCalling<Connection: Sendable>(
        _ period: Period, _ connection: Connection, _ call: (Connection, Int) async throws -> Int
    ) async throws -> Tally {
        var tally = Tally(period)
        var start: Int64
        var end = MonotonicTime.now()
        repeat {
            start = end
            tally.shed += try await call(connection, replyBytes)
            end = MonotonicTime.now()
        } while tally.add(from: start, to: end)
        return tally
    }

    private func keepFetching<Connection: Sendable>(
        _ period: Period, _ connection: Connection, _ call: (Connection, Int) async throws -> Int
    ) async throws -> Tally {
        var tally = Tally(period)
        var now = MonotonicTime.now()
        while now < period.until {
            let shed = try await call(connection, largeReplyBytes)
            if now >= period.from {
                tally.largeCalls += 1
                tally.shed += shed
            }
            now = MonotonicTime.now()
        }
        return tally
    }
}
