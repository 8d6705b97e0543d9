import NIOCore
import RPC

extension UpstreamMonitor {
    /// Sends a request to the upstream, and notes the outcome.
    /// - Parameters:
    ///   - subject: the kind of request.
    ///   - time: the time limit: `time(of:hasFallback:)`.
    ///   - request: throws `RPCError` for a valid answer that is an error for the caller, such as "not found".
    /// - Returns: nil when the upstream gave no usable answer in time: the caller falls back to its cache.
    /// - Throws: the `RPCError` of `request`; `CancellationError`, because a cancelled call does not fall back.
    public func asking<Answer: Sendable>(
        _ subject: String, within time: Duration, _ request: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer? {
        let start = clock.now
        defer { took(since: start) }
        do {
            let answer = try await FetchBudget.run(within: time, on: clock, request)
            answered(subject)
            return answer
        } catch let error as RPCError {
            answered(subject)
            throw error
        } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            failed(subject, error)
            return nil
        }
    }
}
