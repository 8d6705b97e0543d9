import Foundation
import GRDB
import Logging
import RPC
import ServiceKit
import Synchronization

/// Stands between handlers and a store: turns the failures of SQLite into answers in general words, keeps what
/// `rpc.health` tells about the store, and logs a change of its state once, in full and with the trace id of the call.
public final class StoreMonitor: Sendable {
    private struct Failure {
        let text: String
        let since: Date
        var count = 1

        var detail: String { count > 1 ? "\(text) (\(count) times)" : text }
    }

    private struct State {
        /// Ends when the store was validated or replaced: a write that succeeds elsewhere in the file proves nothing.
        var damage: Failure?

        /// Ends with the next write that succeeds.
        var failure: Failure?

        /// When the last failure ended.
        var servingSince: Date
    }

    private let path: String
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameter unusable: why there is no store; who found out has said so in the log.
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

    // MARK: What ends a failure

    /// The store was opened after all, or another one in its place.
    /// - Parameter report: the line for the log; nil for "works again".
    public func recover(report: String? = nil) {
        if let report { logger.warning("\(report)", metadata: TraceContext.current.metadata) }
        end(report: report == nil) { state in
            defer { (state.damage, state.failure) = (nil, nil) }
            return state.damage != nil || state.failure != nil
        }
    }

    /// Everything in the store was looked at and is right.
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

    // MARK: What goes wrong

    /// Runs something that reads; its success says nothing about whether writing works.
    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try await watching(isReading: true, body)
    }

    /// Runs something that writes; its success ends a failure to write.
    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let result = try await watching(isReading: false, body)
        noteWritten()
        return result
    }

    /// - Parameter isCache: whether the store is a cache: `SoftStore` replaces it where an operator must restore another.
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
            // STRICT tables take nothing that cannot be read again, so the file has changed under us.
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

    /// What validating an authority's store has found.
    public func noteDamage(_ finding: String) { note(.damaged, finding, isCache: false) }

    /// There is no store.
    func note(_ unusable: StoreUnusable) { note("\(unusable)", isDamage: true) }

    private func note(_ trouble: StoreTrouble, _ reason: String, isCache: Bool) {
        // That another process writes just now is no state of the store.
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
            // One damage after the other is one state.
            let isNew = !isDamage || state.damage == nil
            if isNew { state[keyPath: kind] = Failure(text: text, since: now) }
            return isNew
        }
        if isNew { logger.error("\(text)", metadata: TraceContext.current.metadata) }
    }
}
