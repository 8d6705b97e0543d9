import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization

/// Watches what an upstream answers: tells `rpc.health` and the fetch budgets of its state (`UpstreamState`), and logs each
/// change of it once.
public final class UpstreamMonitor: Sendable {
    /// Why there was no good answer.
    public enum Failure: Sendable, Equatable {
        /// There was none, or none in time.
        case absent(String)
        /// There was one, and it is not what it should be.
        case rejected(String)
    }

    private let base: UpstreamBase
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<UpstreamState>

    /// - Parameter now: the clock.
    public init(_ base: UpstreamBase, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        self.base = base
        self.logger = logger
        self.now = now
        state = Mutex(UpstreamState(since: now()))
    }

    /// Degraded while the upstream is absent or some subject fails.
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

    /// The upstream has answered as it should.
    /// - Parameter subject: what it was asked for.
    public func answered(_ subject: String) { log(state.withLock { $0.answered(subject, at: now()) }, subject) }

    /// The upstream has not answered as it should.
    /// - Parameter subject: what it was asked for.
    public func failed(_ subject: String, _ failure: Failure) {
        let line = state.withLock { state in
            switch failure {
            case .absent(let reason): state.missed(subject, reason, at: now())
            case .rejected(let reason): state.rejected(subject, reason, at: now())
            }
        }
        log(line, subject)
    }

    /// A request for the subject has ended with an error. One that says nothing about the upstream does not count.
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
    /// What an error says about the upstream: an answer that did arrive (too large, not HTTP, a redirect to nowhere) is no
    /// absence.
    /// - Returns: nil when it says more about the caller or about this service.
    public init?(_ error: any Error) {
        switch error {
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
