import Foundation
import Logging
import RPC
import ServiceKit
import Timing

/// Holds a store's check for `rpc.health`, and logs each change of its state once, in full and with the trace id of the call.
final class StoreMonitor: Sendable {
    struct Failure {
        let text: String
        let since: Date
        var count = 1
        var unit = "times"

        var detail: String { count > 1 ? "\(text) (\(count) \(unit))" : text }
    }

    struct State {
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

    private let path: String
    private let isCache: Bool
    private let logger: Logger
    private let now: @Sendable () -> Date
    let state: Watched<State>

    /// - Parameter unusable: why there is no store; already logged.
    init(
        path: String, isCache: Bool, logger: Logger, unusable: StoreUnusable? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.path = path
        self.isCache = isCache
        self.logger = logger
        self.now = now
        let failure = unusable.map { Failure(text: "\($0)", since: now()) }
        state = Watched(State(damage: failure, servingSince: now()))
    }

    var check: Health.Check {
        state.withLock { state in
            guard let failure = state.current else {
                return Health.Check(name: "store", status: .serving, since: state.servingSince)
            }
            return Health.Check(name: "store", status: .degraded, detail: failure.detail, since: failure.since)
        }
    }

    /// The check of the content; nil while no damage was found. It is one of its own, because the store can be used.
    var contentCheck: Health.Check? {
        state.withLock(\.finding).map {
            Health.Check(
                name: Health.Check.contentPrefix + "store", status: .degraded, detail: $0.detail, since: $0.since)
        }
    }

    // MARK: Recovery

    /// Notes that the store was opened or replaced.
    /// - Parameter report: the line for the log; nil for "works again".
    func recover(report: String? = nil) {
        if let report { logger.warning("\(report)", metadata: TraceContext.current.metadata) }
        end(report: report == nil) { state in
            defer { (state.damage, state.failure, state.finding) = (nil, nil, nil) }
            return state.current != nil
        }
    }

    /// Notes that a check of the whole store succeeded.
    func noteValidated() {
        end { state in
            defer { state.damage = nil }
            return state.damage != nil
        }
    }

    /// Returns once the store cannot be used or written, or the task is cancelled.
    func waitForFailure() async { await state.wait { $0.damage != nil || $0.failure != nil } }

    var hasFailed: Bool { state.withLock { $0.damage != nil || $0.failure != nil } }

    /// Whether the last write failed.
    var cannotWrite: Bool { state.withLock { $0.failure != nil } }

    /// Notes that a write has succeeded.
    func noteWritten() {
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
        if worksAgain, report { logger.notice("the store \(path) works again") }
    }

    // MARK: Failures

    /// Logs a fault that calls survive.
    func report(_ fault: String) {
        logger.error("the store \(path): \(fault)", metadata: TraceContext.current.metadata)
    }

    /// Notes that there is no store.
    func note(_ unusable: StoreUnusable) {
        // The reason may be another one than before.
        state.withLock { state in
            if state.damage?.text != "\(unusable)" { state.damage = nil }
        }
        note("\(unusable)", isDamage: true)
    }

    /// - Parameter isProbe: whether no call has failed.
    func note(_ trouble: StoreTrouble, isProbe: Bool = false) {
        // A lock held by another process is temporary, not a state of the store.
        if case .busy = trouble { return }
        note(trouble.report(path, isCache: isCache), isDamage: trouble.isLasting, count: isProbe ? 0 : 1)
    }

    private func note(_ text: String, isDamage: Bool, count: Int = 1) {
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
    func beginScan() { state.withLock { $0.found = nil } }

    /// Notes damage that the check has found. The first finding is logged; `gateway check` lists all.
    func noteFinding(_ finding: String) {
        let now = now()
        let text = """
            the store \(path) is damaged: \(finding); `gateway check` lists all damage, and after deploy/down \
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
    func endScan() -> Bool {
        let (isWell, isRepaired) = state.withLock { state in
            guard state.found == nil else { return (false, false) }
            defer { state.finding = nil }
            return (true, state.finding != nil)
        }
        if isRepaired { logger.notice("no part of the store \(path) is damaged any more") }
        return isWell
    }
}
