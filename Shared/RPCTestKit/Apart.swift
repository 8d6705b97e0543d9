import RPC

/// Runs a long computation of a test on a separate thread, one at a time. All tests share one thread per core, and a long
/// computation there would delay tests with time limits.
public func apart<Result>(_ computation: () async throws -> Result) async rethrows -> Result {
    try await withTaskExecutorPreference(computing, operation: computation)
}

private let computing = LoopExecutor.separate()
