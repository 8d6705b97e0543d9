import Foundation
import GRDB
import Logging
import RPC
import ServiceKit
import Synchronization

/// Watches the accesses of handlers to a store. It turns errors of SQLite into general errors for callers, holds the store's
/// check for `rpc.health`, and logs each change of state once, in full and with the trace id of the call.
public final class StoreMonitor: Sendable {
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
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameter unusable: why there is no store; already logged.
    public init(
        path: String, logger: Logger, unusable: StoreUnusable? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.path = path
        self.logger = logger
        self.now = now
        let failure = unusable.map { Failure(text: "\($0)", since: now()) }
        state = Mutex(State(damage: failure, servingSince: now()))
    }

    public var check: Health.Check {
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
    public func recover(report: String? = nil) {
        if let report { logger.warning("\(report)", metadata: TraceContext.current.metadata) }
        end(report: report == nil) { state in
            defer { (state.damage, state.failure) = (nil, nil) }
            return state.damage != nil || state.failure != nil
        }
    }

    /// Notes that a check of the whole store succeeded.
    public func noteValidated() {
        end { state in
            defer { state.damage = nil }
            return state.damage != nil
        }
    }

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

    /// Runs a read. Its success does not clear a write failure.
    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try await watching(isReading: true, body)
    }

    /// Runs a write. Its success clears a write failure.
    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let result = try await watching(isReading: false, body)
        noteWritten()
        return result
    }

    /// - Parameter isCache: whether the store is a cache. `CacheStore` replaces a cache; an operator must restore another store.
    func watching<Result>(
        isReading: Bool, isCache: Bool = false, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as DatabaseError {
            guard let trouble = StoreTrouble(error, isReading: isReading) else { throw error }
            note(trouble, error.message ?? "\(error.resultCode)", isCache: isCache)
            throw trouble.answer
        } catch is RowDecodingError {
            // STRICT tables accept only values that can be decoded, so another program has changed the file.
            note(.damaged, "a row cannot be decoded", isCache: isCache)
            throw StoreTrouble.damaged.answer
        } catch is StoreDisplaced {
            note(.displaced, "", isCache: isCache)
            throw StoreTrouble.displaced.answer
        } catch is StoreOverwritten {
            note(.overwritten, "", isCache: isCache)
            throw StoreTrouble.overwritten.answer
        }
    }

    /// Notes damage that a validation of an authority's store found.
    public func noteDamage(_ finding: String) { note(.damaged, finding, isCache: false) }

    /// Logs a fault that calls survive.
    func report(_ fault: String) {
        logger.error("the store \(path): \(fault)", metadata: TraceContext.current.metadata)
    }

    /// Notes that there is no store.
    func note(_ unusable: StoreUnusable) { note("\(unusable)", isDamage: true) }

    private func note(_ trouble: StoreTrouble, _ reason: String, isCache: Bool) {
        // A lock held by another process is temporary, not a state of the store.
        guard trouble != .busy else { return }
        note(trouble.report(path, reason, isCache: isCache), isDamage: trouble.isLasting)
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
