import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization
import Timing
import Upstream

/// Tracks the state of an upstream (`UpstreamState`) for `rpc.health` and the fetch budgets, and logs each change once.
public final class UpstreamMonitor: Sendable {
    /// Why there was no good answer.
    public enum Failure: Error, Equatable {
        /// There was no answer, or none in time.
        case absent(String)
        /// There was an answer, but it cannot be used.
        case rejected(String)
    }

    private let base: UpstreamBase
    private let logger: Logger
    private let now: @Sendable () -> Date
    let clock: any MonotonicClock
    private let state: Mutex<UpstreamState>

    /// - Parameters:
    ///   - clock: measures the time of requests and the pauses between probes.
    ///   - now: the wall clock.
    public init(
        _ base: UpstreamBase, logger: Logger, clock: any MonotonicClock = .system,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        self.logger = logger
        self.clock = clock
        self.now = now
        state = Mutex(UpstreamState(since: now()))
    }

    /// The check of the upstream: degraded while it is absent or a subject fails.
    public var check: Health.Check {
        let (line, phase) = state.withLock { ($0.pass(now()), $0.phase) }
        log(line, nil)
        switch phase {
        case .serving(let since): return Health.Check(name: "upstream", status: .serving, since: since)
        case .degraded(let fault), .absent(let fault):
            return Health.Check(
                name: "upstream", status: .degraded,
                detail: fault.count > 1 ? "\(fault.reason) (\(fault.count) times)" : fault.reason, since: fault.since)
        }
    }

    /// Whether the last request got no answer.
    public var isAbsent: Bool { state.withLock(\.isAbsent) }

    /// The time that the next request may take (`FetchBudget.time`).
    public func time(of remaining: Duration, hasFallback: Bool = true) -> Duration {
        FetchBudget.time(of: remaining, isAbsent: isAbsent, hasFallback: hasFallback)
    }

    /// Notes a good answer.
    /// - Parameter subject: the kind of request.
    public func answered(_ subject: String) { log(state.withLock { $0.answered(subject, at: now()) }, subject) }

    /// Notes a failure.
    /// - Parameter subject: the kind of request.
    public func failed(_ subject: String, _ failure: Failure) {
        let line = state.withLock { state in
            switch failure {
            case .absent(let reason): state.missed(subject, reason, at: now())
            case .rejected(let reason): state.rejected(subject, reason, at: now())
            }
        }
        log(line, subject)
    }

    /// Notes that a request failed with an error. Ignores errors that are not the upstream's fault.
    public func failed(_ subject: String, _ error: any Error) {
        if let failure = Failure(error) { failed(subject, failure) }
    }

    private func log(_ line: UpstreamState.Line?, _ subject: String?) {
        let metadata = TraceContext.current.metadata
        switch line {
        case .failure(let reason):
            let subject = subject.map { " for \($0)" } ?? ""
            logger.error("the upstream \(base) has no good answer\(subject): \(reason)", metadata: metadata)
        case .recovery: logger.notice("the upstream \(base) answers again", metadata: metadata)
        case nil: break
        }
    }
}

extension UpstreamMonitor.Failure {
    /// The failure of the upstream that an error shows. An unusable answer (too large, not HTTP, a bad redirect) is rejected, not
    /// absent.
    /// - Returns: nil when the caller or this service is the cause.
    public init?(_ error: any Error) {
        switch error {
        case let failure as UpstreamMonitor.Failure: self = failure
        case let error as UpstreamError:
            switch error.rpcError.kind {
            case .connectivity: self = .absent("\(error)")
            case .permissionDenied, .invalidData: self = .rejected("\(error)")
            default: return nil
            }
        case let spent as FetchBudget.Spent where !spent.isFair: return nil
        case is CancellationError: return nil
        default: self = .absent("\(error)")
        }
    }
}
