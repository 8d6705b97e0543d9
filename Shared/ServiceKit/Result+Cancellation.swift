extension Result where Success: Sendable, Failure == any Error {
    /// Runs work that is cancelled when a stream ends, and waits until the work has ended.
    public init(of work: @escaping @Sendable () async throws -> Success, until cancelled: AsyncStream<Void>) async {
        self = await withTaskGroup(of: Self?.self) { group in
            group.addTask {
                do {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await _ in cancelled {}
                return nil
            }
            for await outcome in group {
                group.cancelAll()
                if let outcome { return outcome }
            }
            return .failure(CancellationError())
        }
    }
}
