import UnixSignals

/// Ends long work in order when the user presses Ctrl-C, or when the process is to end for another reason.
enum Interruption {
    /// Runs `body`, and cancels it at the first signal.
    /// - Returns: what `body` returns, also after it was cancelled.
    static func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            while let ended = try await group.next() {
                group.cancelAll()
                if let result = ended { return result }
            }
            throw CancellationError()
        }
    }
}
