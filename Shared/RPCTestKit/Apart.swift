import RPC

/// Runs a long computation of a test on a thread of its own: all tests share as many as there are cores, and those that have a
/// time to keep would wait for it there.
public func apart<Result>(_ computation: () async throws -> Result) async rethrows -> Result {
    try await withTaskExecutorPreference(computing, operation: computation)
}

private let computing = LoopExecutor.separate()
