import BenchKit

extension Load {
    /// Runs concurrent calls over connections of any kind.
    /// - Parameter call: requests a reply of the given size, and returns false when the call was shed.
    func measure<Connection: Sendable>(
        over connections: [Connection], call: @escaping @Sendable (Connection, Int) async throws -> Bool
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
        _ period: Period, _ connection: Connection, _ call: (Connection, Int) async throws -> Bool
    ) async throws -> Tally {
        var tally = Tally(period)
        var start = MonotonicTime.now()
        while true {
            let isAnswered = try await call(connection, replyBytes)
            let end = MonotonicTime.now()
            guard isAnswered ? tally.add(from: start, to: end) : tally.addShed(at: end) else { break }
            start = end
        }
        return tally
    }

    private func keepFetching<Connection: Sendable>(
        _ period: Period, _ connection: Connection, _ call: (Connection, Int) async throws -> Bool
    ) async throws -> Tally {
        var tally = Tally(period)
        var now = MonotonicTime.now()
        while now < period.until {
            let isAnswered = try await call(connection, largeReplyBytes)
            if now >= period.from {
                if isAnswered { tally.largeCalls += 1 } else { tally.shed += 1 }
            }
            now = MonotonicTime.now()
        }
        return tally
    }
}
