/// Runs `body` for at most so long; it must end soon when it is cancelled.
/// - Throws: `error` when the time is over.
func withTimeLimit<Result: Sendable>(
    _ limit: Duration, orThrow error: any Error, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let result = try await group.next().flatMap({ $0 }) else { throw error }
        return result
    }
}
