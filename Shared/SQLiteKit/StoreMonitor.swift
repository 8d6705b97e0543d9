import Foundation
import Logging
import RPC
import ServiceKit
import Synchronization

/// Holds a store's check for `rpc.health`, and logs each change of its state once, in full and with the trace id of the call.
final class StoreMonitor: Sendable {
    private struct Failure {
        let text: String
        let since: Date
        var count = 1

        var detail: String { count > 1 ? "\(text) (\(count) times)" : text }
    }

    private struct State {
        /// Cleared when the store is validated or replaced. A successful write elsewhere in the file does not clear it.
        var damage: Failure?

        /// Cleared by the next successful write.
        var failure: Failure?

        /// When the last failure ended.
        var servingSince: Date
    }

    private let path: String
    private let isCache: Bool
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

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
        state = Mutex(State(damage: failure, servingSince: now()))
    }

    var check: Health.Check {
        state.withLock { state in
            guard let failure = state.damage ?? state.failure else {
                return Health.Check(name: "store", status: .serving, since: state.servingSince)
            }
            return Health.Check(name: "store", status: .degraded, detail: failure.detail, since: failure.since)
        }
    }

    // MARK: Recovery

    /// Notes that the store was opened or replaced.
    /// - Parameter report: the line for the log; nil for "works again".
    func recover(report: String? = nil) {
        if let report { logger.warning("\(report)", metadata: TraceContext.current.metadata) }
        end(report: report == nil) { state in
            defer { (state.damage, state.failure) = (nil, nil) }
            return state.damage != nil || state.failure != nil
        }
    }

    /// Notes that a check of the whole store succeeded.
    func noteValidated() {
        end { state in
            defer { state.damage = nil }
            return state.damage != nil
        }
    }

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
            return hasChanged && state.damage == nil
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

    func note(_ trouble: StoreTrouble) {
        // A lock held by another process is temporary, not a state of the store.
        if case .busy = trouble { return }
        note(trouble.report(path, isCache: isCache), isDamage: trouble.isLasting)
    }

    private func note(_ text: String, isDamage: Bool) {
        let now = now()
        let isNew = state.withLock { state in
            let kind = isDamage ? \State.damage : \State.failure
            if state[keyPath: kind]?.text == text {
                state[keyPath: kind]?.count += 1
                return false
            }
            // Further damage belongs to the same state.
            let isNew = !isDamage || state.damage == nil
            if isNew { state[keyPath: kind] = Failure(text: text, since: now) }
            return isNew
        }
        if isNew { logger.error("\(text)", metadata: TraceContext.current.metadata) }
    }
}
