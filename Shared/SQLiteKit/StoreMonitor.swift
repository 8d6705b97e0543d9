import Foundation
import GRDB
import Logging
import RPC
import Synchronization

/// Stands between handlers and a store: turns the failures of SQLite into answers that say what to do, keeps what
/// `rpc.health` tells about the store, and logs a change of its state once.
public final class StoreMonitor: Sendable {
    private struct State {
        var failure: String?
        var since: Date

        /// Of this failure.
        var count = 0

        var detail: String? { failure.map { count > 1 ? "\($0) (\(count) times)" : $0 } }
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
        state = Mutex(State(failure: unusable.map { "\($0)" }, since: now()))
    }

    public var check: Health.Check {
        state.withLock { state in
            Health.Check(
                name: "store", status: state.failure == nil ? .serving : .degraded, detail: state.detail,
                since: state.since)
        }
    }

    /// Ends a failure: the store was opened after all, or another one in its place.
    public func recover() { note(nil) }

    /// Runs something that reads; its success says nothing about whether writing works.
    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try await watching(body)
    }

    /// Runs something that writes; its success ends a failure.
    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let result = try await watching(body)
        note(nil)
        return result
    }

    private func watching<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as DatabaseError {
            guard let failure = rpcError(error) else { throw error }
            // That another process writes just now is no state of the store.
            if ![.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) { note(failure.message) }
            throw failure
        } catch is RowDecodingError {
            // STRICT tables take nothing that cannot be read again, so the file has changed under us.
            let failure = damaged
            note(failure.message)
            throw failure
        }
    }

    private func note(_ failure: String?) {
        let changed = state.withLock { state in
            let changed = state.failure != failure
            if changed { state = State(failure: failure, since: now()) }
            state.count += 1
            return changed
        }
        guard changed else { return }
        if let failure { logger.error("\(failure)") } else { logger.notice("the store \(path) works again") }
    }

    /// Nil for what is a fault of the program.
    private func rpcError(_ error: DatabaseError) -> RPCError? {
        switch error.resultCode {
        case .SQLITE_FULL:
            RPCError(.unavailable, "nothing was written: the disk of \(path) is full; free some space and try again")
        case .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_CANTOPEN:
            RPCError(.unavailable, "the store \(path) cannot be used: \(error.message ?? "\(error.resultCode)")")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            RPCError(.unavailable, "nothing was written: another process holds the store \(path); try again")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: damaged
        default: nil
        }
    }

    private var damaged: RPCError { RPCError(.dataLoss, "the store \(path) is damaged; restore it from a copy") }
}
