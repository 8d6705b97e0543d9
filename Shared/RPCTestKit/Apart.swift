import RPC

/// Runs the long computations of tests on one thread apart, one after the other: all tests share as many threads as there are
/// cores, and those that have a time to keep would wait for it there.
public func apart<Result>(_ computation: () async throws -> Result) async rethrows -> Result {
    try await withTaskExecutorPreference(computing, operation: computation)
}

private let computing = LoopExecutor.separate()
