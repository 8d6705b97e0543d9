import Foundation
import Logging
import RPC
import Synchronization

/// Whether the upstream answers as it should: what `rpc.health` tells, and one line in the log when it changes.
final class UpstreamMonitor: Sendable {
    private struct State {
        var failure: String?

        /// What kind of failure it is: one that only has other words is none that is new.
        var kind: String?
        var since: Date
        var count = 0
    }

    private let upstream: String
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    init(upstream: String, logger: Logger, now: @escaping @Sendable () -> Date = { Date() }) {
        self.upstream = upstream
        self.logger = logger
        self.now = now
        state = Mutex(State(since: now()))
    }

    var check: Health.Check {
        state.withLock { state in
            let detail = state.failure.map { "the upstream \(upstream): \($0) (\(state.count) times)" }
            return Health.Check(
                name: "upstream", status: detail == nil ? .serving : .degraded, detail: detail, since: state.since)
        }
    }

    func noteSuccess() {
        let hasRecovered = state.withLock { state in
            guard state.failure != nil else { return false }
            state = State(since: now())
            return true
        }
        if hasRecovered { logger.notice("the upstream \(upstream) answers again") }
    }

    func note(_ error: any Error) {
        let (failure, kind) = ("\(error)", Self.kind(error))
        let isNew = state.withLock { state in
            let isNew = state.kind != kind
            if isNew { state = State(since: state.failure == nil ? now() : state.since) }
            (state.failure, state.kind) = (failure, kind)
            state.count += 1
            return isNew
        }
        if isNew { logger.error("the upstream \(upstream): \(failure)") }
    }

    private static func kind(_ error: any Error) -> String {
        if case FeedSourceError.rejected(let rejection) = error { return "\(rejection)" }
        return "\(type(of: error))"
    }
}
