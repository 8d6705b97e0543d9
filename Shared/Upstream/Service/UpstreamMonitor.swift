import Foundation
import Logging
import RPC
import Synchronization

/// Watches over requests to an upstream: keeps what `rpc.health` tells about it, and logs a change of its state once.
public final class UpstreamMonitor: Sendable {
    private struct State {
        var failure: String?
        var since: Date

        /// Of this failure.
        var count = 0
    }

    private let base: UpstreamBase
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    public init(_ base: UpstreamBase, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        self.base = base
        self.logger = logger
        self.now = now
        state = Mutex(State(since: now()))
    }

    /// Degraded while the upstream does not answer.
    public var check: Health.Check {
        state.withLock { state in
            Health.Check(
                name: "upstream", status: state.failure == nil ? .serving : .degraded,
                detail: state.failure.map { state.count > 1 ? "\($0) (\(state.count) times)" : $0 }, since: state.since)
        }
    }

    /// Takes note of how a request ended. One that was cancelled, or was refused here, says nothing about the upstream.
    public func watching<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(UpstreamError) -> Result
    ) async throws(UpstreamError) -> Result {
        do throws(UpstreamError) {
            let result = try await body()
            note(nil)
            return result
        } catch {
            switch error {
            case .cancelled, .shutDown, .refused, .overloaded: break
            case .tooLarge, .malformed, .tooManyRedirects: note(nil)
            case .unreachable, .timedOut, .interrupted, .pinMismatch, .tls: note("\(error)")
            }
            throw error
        }
    }

    private func note(_ failure: String?) {
        let changed = state.withLock { state in
            // Which of several things is wrong may change from request to request: that is no change of state.
            let changed = (state.failure == nil) != (failure == nil)
            if changed { state = State(failure: failure, since: now()) }
            state.failure = failure
            state.count += 1
            return changed
        }
        guard changed else { return }
        if let failure {
            logger.error("the upstream \(base) does not answer: \(failure); serving what is kept")
        } else {
            logger.notice("the upstream \(base) answers again")
        }
    }
}
