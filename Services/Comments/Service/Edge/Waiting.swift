/// Waits for `body` for so long at the most; what is not done by then is cancelled.
/// - Throws: `RemoteFailure.late`.
func waiting<Result: Sendable>(
    _ time: Duration, for body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: time)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else { throw RemoteFailure.late(time) }
        return result
    }
}
