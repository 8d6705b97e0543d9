import Foundation
import JSON
import Logging
import NIOCore
import RPC
import ServiceKit
import Synchronization
import Timing

/// A service's store in a PostgreSQL database, which several services of its kind may use. It connects when it must, and throws
/// `StoreError` for every failure of the database.
public final class PostgresStore: Sendable {
    /// The number of reads at a time. Writes and notifications have a connection each besides.
    public static let readers = 4

    public let schema: PostgresSchema
    private let url: DatabaseURL
    let monitor: StoreMonitor
    let clock: any MonotonicClock
    private let now: @Sendable () -> Date

    private let permits = TaskSemaphore(permits: readers)

    /// Those that no read uses; the last one used is the next.
    private let idle: Mutex<[PostgresLane]>
    let writer: PostgresLane
    let listener: PostgresLane
    private let writes = PostgresWrites()
    private let slowness = Mutex(Slowness(limit: Slowness.storeLimit))

    public init(
        _ schema: PostgresSchema, at url: DatabaseURL, logger: Logger, times: PostgresConnection.Times = .init(),
        now: @escaping @Sendable () -> Date = { Date() }, clock: any MonotonicClock = .system
    ) {
        (self.schema, self.url, self.now, self.clock) = (schema, url, now, clock)
        monitor = StoreMonitor("the database \(url)", logger: logger, now: now)
        let pace = Watched(ConnectingPace())
        let lane = { @Sendable (use: String, statement: Int) -> PostgresLane in
            let name = "image-feed \(schema.name) \(use)"
            return PostgresLane(name) {
                if let failure = pace.withLock({ $0.failure(at: clock.now) }) { throw failure }
                do {
                    let connection = try PostgresConnection(url, name: name, times: times)
                    try connection.run(Self.settings(times))
                    try schema.open(connection)
                    try connection.run("SET statement_timeout = '\(statement)s'")
                    pace.withLock { $0.reset() }
                    return connection
                } catch let error as PostgresError {
                    // Whatever it is: there is no store.
                    let error: PostgresError =
                        switch PostgresTrouble(error) {
                        case nil: .unusable(.other("\(error)"))
                        case .busy: .unusable(.locked)
                        default: error
                        }
                    pace.withLock { $0.note(error, at: clock.now) }
                    throw error
                }
            }
        }
        idle = Mutex((0..<Self.readers).map { _ in lane("reader", times.statement) })
        // The server ends the slow statements of reads. It does not end the commit of a write: with synchronous replication it would
        // acknowledge a write that the standby does not have.
        writer = lane("writer", 0)
        listener = lane("listener", times.statement)
    }

    /// If the service hangs in a transaction, the server ends that, so that others can write. An authority acknowledges no write that a
    /// power cut could undo.
    private static func settings(_ times: PostgresConnection.Times) -> String {
        """
        SET statement_timeout = 0; SET lock_timeout = '\(times.statement)s';
        SET idle_in_transaction_session_timeout = '\(times.silence)s';
        SET default_transaction_isolation = 'read committed';
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')
        """
    }

    // MARK: Access

    /// Reads on another thread. The task's cancellation ends the read. Each statement reads what is committed when it begins.
    public func read<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        try await timed(.reading) { try await reading(body) }
    }

    func reading<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        let use = InterruptibleUse()
        return try await withTaskCancellationHandler {
            try await permits.withPermit {
                // There is one for each permit.
                guard let lane = idle.withLock({ $0.popLast() }) else { throw StoreError.busy }
                defer { idle.withLock { $0.append(lane) } }
                return try await lane.run(use, body)
            }
        } onCancel: {
            use.cancel()
        }
    }

    /// Writes on another thread, in a transaction that may have other writes, too. It is the only one of the database at a time. A cancelled
    /// task gives up a write that has not begun, and waits for another one, as its result is unknown until it ends.
    /// - Parameters:
    ///   - bytes: about how much it sends, if that is much.
    ///   - body: may run twice, the first time without an effect.
    public func write<Result: Sendable>(
        bytes: Int = 0, isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        let outcome = Outcome<Result>()
        let write = PostgresWrites.Write(
            bytes: bytes, begin: outcome.begin,
            run: { db in
                let result = try body(db)
                return { outcome.end(.success(result)) }
            }, fail: { outcome.end(.failure($0)) })
        return try await commit(write, outcome)
    }

    /// The same for a write that the statements of others may make, too.
    public func write<Input: Sendable, Output: Sendable>(
        _ input: Input, bytes: Int = 0, with joined: JoinedWrites<Input, Output>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        let outcome = Outcome<Output>()
        let write = PostgresWrites.Write(
            bytes: bytes, kind: ObjectIdentifier(joined), begin: outcome.begin,
            join: { joined.join(input, outcome.end) }, run: joined.run, fail: { outcome.end(.failure($0)) })
        return try await commit(write, outcome)
    }

    private func commit<Result: Sendable>(
        _ write: PostgresWrites.Write, _ outcome: Outcome<Result>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Result {
        try await timed(.writing) {
            try await withTaskCancellationHandler {
                writes.add(write)
                // Another task's commit may include this write. Then it has ended before the one here begins.
                while true {
                    await writes.commit(on: writer) { outcome.result != nil }
                    if let result = outcome.result { return try result.get() }
                }
            } onCancel: {
                outcome.giveUp()
            }
        }
    }

    /// Returns once so many writes wait for the one before them.
    func waitForWrites(_ count: Int) async { await writes.wait(for: count) }

    /// What becomes of a write.
    private final class Outcome<Success: Sendable>: Sendable {
        private enum State {
            case waiting
            case begun
            case ended(Result<Success, any Error>)
        }

        private let state = Mutex(State.waiting)

        func begin() -> Bool {
            state.withLock { state in
                guard case .waiting = state else { return false }
                state = .begun
                return true
            }
        }

        func giveUp() {
            state.withLock { if case .waiting = $0 { $0 = .ended(.failure(CancellationError())) } }
        }

        func end(_ result: Result<Success, any Error>) { state.withLock { $0 = .ended(result) } }

        var result: Result<Success, any Error>? {
            state.withLock { if case .ended(let result) = $0 { result } else { nil } }
        }
    }

    private func timed<Result>(
        _ use: StoreMonitor.Use, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let start = clock.now
        defer {
            let end = clock.now
            slowness.withLock { $0.note(end - start, at: end) }
        }
        do {
            let result = try await body()
            monitor.noteSuccess(of: use)
            return result
        } catch {
            guard let trouble = PostgresTrouble(error) else { throw error }
            // The server may have answered the request to cancel.
            try Task.checkCancellation()
            note(trouble, use)
            throw trouble.error
        }
    }

    /// - Parameter isProbe: whether no call has failed.
    func note(_ trouble: PostgresTrouble, _ use: StoreMonitor.Use, isProbe: Bool = false) {
        guard let cause = trouble.cause(use) else { return }
        monitor.note(trouble.report("\(url)"), cause, count: isProbe ? 0 : 1)
    }

    /// Checks the store.
    /// - Parameter check: returns the first damage, nil for none.
    /// - Throws: `StoreError.damaged`.
    public func validate(_ check: @escaping @Sendable (PostgresConnection) throws -> String?) async throws {
        if let damage = try await read(check) {
            note(.damaged(damage), .reading)
            throw StoreError.damaged
        }
        monitor.noteValidated()
    }

    // MARK: Changes

    /// The mark of the last change; see `ChangeLog`.
    public func lastChange() async throws -> ChangeMark { try await read(PostgresChanges.last) }

    /// The event after a mark; see `ChangeLog`.
    /// - Parameter decode: reads a change as `PostgresChanges.append` got it.
    public func news<Change>(
        after mark: ChangeMark?, decode: @escaping @Sendable (RawJSON) throws(JSONError) -> Change
    ) async throws -> ChangeNews<Change>? {
        try await read { [monitor] in
            try PostgresChanges.news(after: mark, $0, report: monitor.report, read: decode)
        }
    }

    // MARK: Health

    /// The store's checks for `rpc.health`: its state, and whether it is slow.
    public func health() -> [Health.Check] {
        let slow = slowness.withLock {
            $0.check(
                Health.Check.store, title: "the database \(url)", remedy: "see whether its server is busy",
                at: clock.now,
                date: now())
        }
        return [monitor.check()] + [slow].compactMap(\.self)
    }
}
