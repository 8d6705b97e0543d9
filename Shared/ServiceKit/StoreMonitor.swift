import Foundation
import Logging
import NIOCore
import RPC
import Timing

/// Holds a store's check for `rpc.health`, and logs each change of its state once, in full and with the trace id of the call.
package final class StoreMonitor: Sendable {
    struct Failure: Sendable {
        let text: String
        let since: Date
        var count = 1
        var unit = "times"

        var detail: String { count > 1 ? "\(text) (\(count) \(unit))" : text }
    }

    struct State: Sendable {
        /// Cleared when the store is validated or replaced. A successful write elsewhere in the file does not clear it.
        var damage: Failure?

        /// Cleared by the next successful write.
        var failure: Failure?

        /// The damage that the last check in the background has found. Cleared by one that finds none.
        var finding: Failure?

        /// The damage that the present check has found so far.
        var found: Failure?

        /// When the last failure ended.
        var servingSince: Date

        var current: Failure? { damage ?? failure }
    }

    /// The store in messages: `the store PATH`.
    private let title: String
    private let logger: Logger
    private let now: @Sendable () -> Date
    let state: Watched<State>

    /// - Parameter failure: why there is no store; already logged.
    package init(_ title: String, failure: String? = nil, logger: Logger, now: @escaping @Sendable () -> Date) {
        self.title = title
        self.logger = logger
        self.now = now
        let damage = failure.map { Failure(text: $0, since: now()) }
        state = Watched(State(damage: damage, servingSince: now()))
    }

    package var check: Health.Check {
        state.withLock { state in
            guard let failure = state.current else {
                return Health.Check(name: "store", status: .serving, since: state.servingSince)
            }
            return Health.Check(name: "store", status: .degraded, detail: failure.detail, since: failure.since)
        }
    }

    /// The check of the content; nil while no damage was found. It is one of its own, because the store can be used.
    package var contentCheck: Health.Check? {
        state.withLock(\.finding).map {
            Health.Check(
                name: Health.Check.contentPrefix + "store", status: .degraded, detail: $0.detail, since: $0.since)
        }
    }

    // MARK: Recovery

    /// The pause before a store that failed is tried; it doubles with each attempt, up to the longest one.
    package static let firstProbePause = Duration.seconds(1)

    /// Tries a store that failed until it works again. Runs until the task is cancelled.
    package func probe(by clock: any MonotonicClock, longestPause: Duration, _ attempt: () async -> Void) async {
        while !Task.isCancelled {
            await waitForFailure()
            var pause = Self.firstProbePause
            while hasFailed, !Task.isCancelled {
                // If the task is cancelled during the pause, the loop's condition ends it.
                try? await clock.sleep(for: pause)
                guard !Task.isCancelled else { return }
                pause = min(pause * 2, longestPause)
                await attempt()
            }
        }
    }

    /// Notes that the store was opened or replaced.
    /// - Parameter report: the line for the log; nil for "works again".
    package func recover(report: String? = nil) {
        if let report { logger.warning("\(report)", metadata: TraceContext.current.metadata) }
        end(report: report == nil) { state in
            defer { (state.damage, state.failure, state.finding) = (nil, nil, nil) }
            return state.current != nil
        }
    }

    /// Notes that a check of the whole store succeeded.
    package func noteValidated() {
        end { state in
            defer { state.damage = nil }
            return state.damage != nil
        }
    }

    /// Returns once the store cannot be used or written, or the task is cancelled.
    package func waitForFailure() async { await state.wait { $0.damage != nil || $0.failure != nil } }

    package var hasFailed: Bool { state.withLock { $0.damage != nil || $0.failure != nil } }

    /// Whether the last write failed.
    package var cannotWrite: Bool { state.withLock { $0.failure != nil } }

    /// Notes that a write has succeeded.
    package func noteWritten() {
        end { state in
            defer { state.failure = nil }
            return state.failure != nil
        }
    }

    private func end(report: Bool = true, _ change: (inout State) -> Bool) {
        let now = now()
        let worksAgain = state.withLock { state in
            let hasChanged = change(&state)
            if hasChanged { state.servingSince = now }
            return hasChanged && state.current == nil
        }
        if worksAgain, report { logger.notice("\(title) works again") }
    }

    // MARK: Failures

    /// Logs a fault that calls survive.
    package func report(_ fault: String) {
        logger.error("\(title): \(fault)", metadata: TraceContext.current.metadata)
    }

    /// Notes why there is no store, which may be another reason than before.
    package func noteAbsence(_ reason: String) {
        state.withLock { state in
            if state.damage?.text != reason { state.damage = nil }
        }
        note(reason, isDamage: true)
    }

    /// Notes a failure.
    /// - Parameters:
    ///   - isDamage: whether it lasts even if a write succeeds.
    ///   - count: the number of calls that have failed; 0 for an attempt in the background.
    package func note(_ text: String, isDamage: Bool, count: Int = 1) {
        let now = now()
        let isNew = state.withLock { state in
            let kind = isDamage ? \State.damage : \State.failure
            if state[keyPath: kind]?.text == text {
                state[keyPath: kind]?.count += count
                return false
            }
            // Further damage belongs to the same state.
            let isNew = !isDamage || state.damage == nil
            if isNew { state[keyPath: kind] = Failure(text: text, since: now) }
            return isNew
        }
        if isNew { logger.error("\(text)", metadata: TraceContext.current.metadata) }
    }

    // MARK: The check in the background

    /// Notes that a check of the content begins.
    package func beginScan() { state.withLock { $0.found = nil } }

    /// Notes damage that the check has found. The first finding is logged; `gateway check` lists all.
    package func noteFinding(_ finding: String) {
        let now = now()
        let text = """
            \(title) is damaged: \(finding); `gateway check` lists all damage, and after deploy/down \
            `gateway check --repair` repairs what it can
            """
        let isNew = state.withLock { state in
            let before = state.finding
            if state.found == nil {
                state.found = Failure(text: text, since: before?.since ?? now, unit: "findings")
            } else {
                state.found?.count += 1
            }
            state.finding = state.found
            return state.found?.count == 1 && before?.text != text
        }
        if isNew { logger.error("\(text)") }
    }

    /// Notes that the check has seen the whole content.
    /// - Returns: whether it has found nothing.
    package func endScan() -> Bool {
        let (isWell, isRepaired) = state.withLock { state in
            guard state.found == nil else { return (false, false) }
            defer { state.finding = nil }
            return (true, state.finding != nil)
        }
        if isRepaired { logger.notice("no part of \(title) is damaged any more") }
        return isWell
    }
}
