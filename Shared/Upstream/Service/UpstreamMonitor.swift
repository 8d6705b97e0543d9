import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization

/// Watches over what an upstream answers: keeps what `rpc.health` tells about it, and logs a change of its state once.
public final class UpstreamMonitor: Sendable {
    private struct State {
        var failure: String?
        var since: Date

        /// What has failed, was logged, and has not worked since: one thing that always fails, while others do not, is one
        /// line.
        var logged: Set<String> = []
    }

    /// How many things that fail are remembered.
    static let rememberedFailures = 1_000

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
                name: "upstream", status: state.failure == nil ? .serving : .degraded, detail: state.failure,
                since: state.since)
        }
    }

    /// It has answered as it should.
    /// - Parameter subject: what it was asked for.
    public func answered(_ subject: String) {
        let isChange = state.withLock { state in
            state.logged.remove(subject)
            guard state.failure != nil else { return false }
            (state.failure, state.since) = (nil, now())
            return true
        }
        if isChange { logger.notice("the upstream \(base) answers again", metadata: TraceContext.current.metadata) }
    }

    /// It has not, or its answer is not what it should be.
    /// - Parameter subject: what it was asked for.
    public func failed(_ subject: String, _ reason: String) {
        let isChange = state.withLock { state in
            guard state.failure == nil, !state.logged.contains(subject) else { return false }
            if state.logged.count == Self.rememberedFailures { state.logged.removeAll() }
            state.logged.insert(subject)
            (state.failure, state.since) = (reason, now())
            return true
        }
        guard isChange else { return }
        logger.error(
            "the upstream \(base) has no good answer for \(subject), serving what is kept: \(reason)",
            metadata: TraceContext.current.metadata)
    }
}
