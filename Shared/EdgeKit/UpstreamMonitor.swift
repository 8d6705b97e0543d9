import Foundation
import Logging
import NIOCore
import RPC
import ServiceKit
import Synchronization
import Timing
import Upstream

/// Tracks whether an upstream serves, for `rpc.health` and the fetch budgets, and logs each change.
///
/// After a request without an answer the upstream is absent, until the next answer of any kind. A kind of request (a subject) fails
/// by itself when its answer is unusable, or when it gets no answer again within `memory`, although another one has got an answer.
/// Then the upstream is degraded until this subject gets a good answer, or `memory` after its last failure. So the state does not
/// change with each request when one subject always fails and others work.
public final class UpstreamMonitor: Sendable {
    /// Why there was no good answer.
    public enum Failure: Error, Equatable {
        /// There was no answer, or none in time.
        case absent(String)
        /// There was an answer, but it cannot be used.
        case rejected(String)
    }

    /// The failures since the upstream last served. `isAbsent`, `subject` and `reason` are those of the last one.
    private struct Fault {
        let since: Date
        var count = 0
        var isLogged = false
        var isAbsent = false
        var subject = ""
        var reason = ""

        /// The subject that fails by itself, whether it gets no answers, and its last failure.
        var failing: (subject: String, isAbsent: Bool, at: Date)?
    }

    private struct State {
        var servingSince: Date

        /// Nil while the upstream serves.
        var fault: Fault?

        /// The last subject without an answer, when another one got an answer after it.
        var missed: (subject: String, at: Date)?
        var filter = FailureFilter()

        /// When the last good answer arrived.
        var answered: NIODeadline?
    }

    /// How long the failure of a subject counts, in seconds.
    static let memory: TimeInterval = 300

    private static func isRecent(_ time: Date, _ now: Date) -> Bool { abs(now.timeIntervalSince(time)) < memory }

    private let base: UpstreamBase
    private let logger: Logger
    private let now: @Sendable () -> Date
    let clock: any MonotonicClock
    private let state: Mutex<State>
    private let slowness = Mutex(Slowness(limit: Slowness.upstreamLimit))

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

    /// The checks of the upstream for `rpc.health`: whether it serves, and whether it is slow.
    public var checks: [Health.Check] {
        let slow = slowness.withLock {
            $0.check(
                "upstream", title: "the upstream \(base)", remedy: "see its load and the network", at: clock.now,
                date: now())
        }
        return [check] + [slow].compactMap(\.self)
    }

    /// Notes the time of a request that ends now.
    func took(since start: NIODeadline) {
        let now = clock.now
        slowness.withLock { $0.note(now - start, at: now) }
    }

    /// The check of the upstream: degraded while it does not serve.
    public var check: Health.Check {
        let now = now()
        let (check, isOver) = state.withLock { state in
            var isOver = false
            if let fault = state.fault, !fault.isAbsent, fault.failing.map({ !Self.isRecent($0.at, now) }) ?? true {
                (state.fault, state.servingSince, isOver) = (nil, now, fault.isLogged)
            }
            guard let fault = state.fault else {
                return (Health.Check(name: "upstream", status: .serving, since: state.servingSince), isOver)
            }
            let detail = fault.count > 1 ? "\(fault.reason) (\(fault.count) times)" : fault.reason
            return (Health.Check(name: "upstream", status: .degraded, detail: detail, since: fault.since), false)
        }
        if isOver { logger.notice("the upstream \(base) has not failed for \(Int(Self.memory) / 60) minutes") }
        return check
    }

    /// For `rpc.stats`, in seconds: for how long the upstream has not served, and the age of the last good answer, if there was one.
    public var measures: Measures {
        let check = check
        let failing = check.status == .serving ? 0 : max(0, Int(now().timeIntervalSince(check.since)))
        var gauges = ["upstream_failing_seconds": failing]
        if let answered = state.withLock(\.answered) {
            gauges["upstream_answer_age_seconds"] = Int((clock.now - answered).nanoseconds / 1_000_000_000)
        }
        return Measures(gauges: gauges)
    }

    /// Whether the last request got no answer.
    public var isAbsent: Bool { state.withLock { $0.fault?.isAbsent == true } }

    /// The time that the next request may take (`FetchBudget.time`).
    public func time(of remaining: Duration, hasFallback: Bool = true) -> Duration {
        FetchBudget.time(of: remaining, isAbsent: isAbsent, hasFallback: hasFallback)
    }

    /// Notes a good answer.
    /// - Parameter subject: the kind of request.
    public func answered(_ subject: String) {
        let (now, time) = (now(), clock.now)
        let wasLogged = state.withLock { state in
            state.answered = time
            guard let fault = state.fault else { return false }
            if fault.isAbsent, fault.subject != subject { state.missed = (fault.subject, now) }
            if let failing = fault.failing, failing.subject != subject, Self.isRecent(failing.at, now) {
                state.fault?.isAbsent = false
                return false
            }
            (state.fault, state.servingSince) = (nil, now)
            return fault.isLogged
        }
        if wasLogged {
            logger.notice("the upstream \(base) answers again", metadata: TraceContext.current.metadata)
        }
    }

    /// Notes a sign of life of an upstream that serves: its last answers are still good. It ends no failure.
    func heard() {
        let time = clock.now
        state.withLock { state in if state.fault == nil { state.answered = time } }
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
            var fault = state.fault ?? Fault(since: now)
            let isKnown = fault.failing.map { $0.subject == subject && $0.isAbsent == isAbsent } ?? false
            let isNew =
                (!fault.isLogged || fault.isAbsent != isAbsent && !isKnown) && state.filter.hasRoom(at: now)
            if isNew { fault.isLogged = true }
            let missedBefore = state.missed.map { $0.subject == subject && Self.isRecent($0.at, now) } ?? false
            let another = fault.failing.map { $0.subject != subject && Self.isRecent($0.at, now) } ?? false
            if !isAbsent || missedBefore, !another { fault.failing = (subject, isAbsent, now) }
            fault.count += 1
            (fault.isAbsent, fault.subject, fault.reason) = (isAbsent, subject, reason)
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
