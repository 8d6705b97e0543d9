import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization
import Timing
import Upstream

/// Tracks whether an upstream serves, for `rpc.health` and the fetch budgets, and logs each change.
///
/// After a request without an answer the upstream is absent, until the next answer of any kind. After an unusable answer it is
/// degraded, until the same kind of request (its subject) gets a good answer, or `memory` after the last failure. So the state
/// does not change with each request when one subject always fails and others work.
public final class UpstreamMonitor: Sendable {
    /// Why there was no good answer.
    public enum Failure: Error, Equatable {
        /// There was no answer, or none in time.
        case absent(String)
        /// There was an answer, but it cannot be used.
        case rejected(String)
    }

    /// The failures since the upstream last served. `isAbsent`, `subject`, `reason` and `at` are those of the last one.
    private struct Fault {
        let since: Date
        var count = 0
        var isLogged = false
        var isAbsent = false
        var subject = ""
        var reason = ""
        var at: Date
    }

    private struct State {
        var servingSince: Date

        /// Nil while the upstream serves.
        var fault: Fault?
        var filter = FailureFilter()
    }

    /// How long an unusable answer counts, in seconds.
    static let memory: TimeInterval = 300

    private let base: UpstreamBase
    private let logger: Logger
    private let now: @Sendable () -> Date
    let clock: any MonotonicClock
    private let state: Mutex<State>

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
        state = Mutex(State(servingSince: now()))
    }

    /// The check of the upstream: degraded while it does not serve.
    public var check: Health.Check {
        recover { _ in false }
        return state.withLock { state in
            guard let fault = state.fault else {
                return Health.Check(name: "upstream", status: .serving, since: state.servingSince)
            }
            return Health.Check(
                name: "upstream", status: .degraded,
                detail: fault.count > 1 ? "\(fault.reason) (\(fault.count) times)" : fault.reason, since: fault.since)
        }
    }

    /// Whether the last request got no answer.
    public var isAbsent: Bool { state.withLock { $0.fault?.isAbsent == true } }

    /// The time that the next request may take (`FetchBudget.time`).
    public func time(of remaining: Duration, hasFallback: Bool = true) -> Duration {
        FetchBudget.time(of: remaining, isAbsent: isAbsent, hasFallback: hasFallback)
    }

    /// Notes a good answer.
    /// - Parameter subject: the kind of request.
    public func answered(_ subject: String) { recover { $0.isAbsent || $0.subject == subject } }

    private func recover(if isOver: (Fault) -> Bool) {
        let now = now()
        let wasLogged = state.withLock { state in
            guard let fault = state.fault else { return false }
            let isOld = !fault.isAbsent && abs(now.timeIntervalSince(fault.at)) >= Self.memory
            guard isOld || isOver(fault) else { return false }
            (state.fault, state.servingSince) = (nil, now)
            return fault.isLogged
        }
        if wasLogged {
            logger.notice("the upstream \(base) answers again", metadata: TraceContext.current.metadata)
        }
    }

    /// Notes a failure.
    /// - Parameter subject: the kind of request.
    public func failed(_ subject: String, _ failure: Failure) {
        let (isAbsent, reason) =
            switch failure {
            case .absent(let reason): (true, reason)
            case .rejected(let reason): (false, reason)
            }
        let now = now()
        let isNew = state.withLock { state in
            var fault = state.fault ?? Fault(since: now, at: now)
            let isNew = (!fault.isLogged || fault.isAbsent != isAbsent) && state.filter.hasRoom(at: now)
            if isNew { fault.isLogged = true }
            fault.count += 1
            (fault.isAbsent, fault.subject, fault.reason, fault.at) = (isAbsent, subject, reason, now)
            state.fault = fault
            return isNew
        }
        guard isNew else { return }
        logger.error(
            "the upstream \(base) has no good answer for \(subject): \(reason)", metadata: TraceContext.current.metadata
        )
    }

    /// Notes that a request failed with an error. Ignores errors that are not the upstream's fault.
    public func failed(_ subject: String, _ error: any Error) {
        if let failure = Failure(error) { failed(subject, failure) }
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
