import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization

/// Watches over what an upstream answers: keeps what `rpc.health` tells about it, and logs a change of its state once.
public final class UpstreamMonitor: Sendable {
    fileprivate struct State {
        var failure: String?
        var since: Date

        /// Whether there was no answer at all.
        var isAbsent = false

        /// How often it has failed since.
        var count = 0

        /// How many lines were logged about it.
        var lines = 0

        /// What has failed, was logged, and has not worked since, with the reasons for which it was refused: one thing that
        /// always fails, while others do not, is one line.
        var logged: [String: Set<String>] = [:]
    }

    /// Why there was no good answer.
    public enum Failure: Sendable {
        /// There was none, or none in time.
        case absent(String)
        /// There was one, and it is not what it should be.
        case rejected(String)
    }

    /// How many things that fail are remembered.
    static let rememberedFailures = 1_000

    /// An upstream that finds a new way to be wrong each time does not fill the log.
    static let linesPerFailure = 10

    private let base: UpstreamBase
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameter now: the clock.
    public init(_ base: UpstreamBase, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        self.base = base
        self.logger = logger
        self.now = now
        state = Mutex(State(since: now()))
    }

    /// Degraded from a failure to the next answer.
    public var check: Health.Check {
        state.withLock { state in
            Health.Check(
                name: "upstream", status: state.failure == nil ? .serving : .degraded,
                detail: state.failure.map { state.count > 1 ? "\($0) (\(state.count) times)" : $0 },
                since: state.since)
        }
    }

    /// Whether the last that was heard of it is that it does not answer.
    public var isAbsent: Bool { state.withLock(\.isAbsent) }

    /// It has answered as it should.
    /// - Parameter subject: what it was asked for.
    public func answered(_ subject: String) {
        let isChange = state.withLock { state in
            state.logged[subject] = nil
            guard state.failure != nil else { return false }
            (state.failure, state.isAbsent, state.since, state.count, state.lines) = (nil, false, now(), 0, 0)
            return true
        }
        if isChange { logger.notice("the upstream \(base) answers again", metadata: TraceContext.current.metadata) }
    }

    /// It has not.
    /// - Parameter subject: what it was asked for.
    public func failed(_ subject: String, _ failure: Failure) {
        guard let reason = state.withLock({ $0.note(failure, of: subject, now: now()) }) else { return }
        logger.error(
            "the upstream \(base) has no good answer for \(subject): \(reason)",
            metadata: TraceContext.current.metadata)
    }
}

extension UpstreamMonitor.State {
    /// - Returns: what is to be logged; nil for what was.
    fileprivate mutating func note(_ failure: UpstreamMonitor.Failure, of subject: String, now: Date) -> String? {
        let (reason, mark) =
            switch failure {
            // In how many words is of no interest, nor for how much else.
            case .absent(let reason): (reason, "")
            case .rejected(let reason): (reason, reason)
            }
        if self.failure != nil { count += 1 }
        isAbsent = mark.isEmpty
        guard logged[subject]?.contains(mark) != true, lines < UpstreamMonitor.linesPerFailure else { return nil }
        if mark.isEmpty, self.failure != nil { return nil }
        if logged.count == UpstreamMonitor.rememberedFailures, logged[subject] == nil { logged.removeAll() }
        logged[subject, default: []].insert(mark)
        if self.failure == nil { (since, count) = (now, 1) }
        self.failure = reason
        lines += 1
        return reason
    }
}
