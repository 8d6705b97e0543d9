import Foundation
import GRDB
import Logging
import NIOCore
import RPC
import ServiceKit
import Synchronization
import Timing

/// A service's store: one SQLite file in use, or the reason why there is none. It opens the file again where it must, watches it, and
/// throws `StoreError` for every failure of SQLite.
///
/// The store of an authority acknowledges no write that could be lost silently: calls fail while its file is removed, replaced or
/// overwritten. The store of a cache is replaced by an empty one then, or when it is damaged, and the old file is renamed. A store
/// that cannot be opened is tried again from time to time.
public final class Store: Sendable {
    /// A file in use.
    struct File: Sendable {
        let pool: DatabasePool
        let watch: StoreFiles
    }

    enum Access { case reading, validating, writing }

    enum Content {
        case open(File)
        case unusable(StoreUnusable)

        /// One task at a time opens a file. Meanwhile the others find none.
        case opening
        case closed
    }

    struct State {
        var content: Content
        var pace: ReplacementPace

        /// Called when a file was opened in place of another one, or of none.
        var onReplacement: @Sendable () -> Void = {}
    }

    let opening: StoreOpening
    package let path: String
    let monitor: StoreMonitor
    let now: @Sendable () -> Date
    let clock: any MonotonicClock
    let state: Mutex<State>
    private let slowness = Mutex(Slowness(limit: Slowness.storeLimit))

    /// - Parameter opened: the result of `StoreOpening.open`; a failure is already logged.
    public init(
        _ opening: StoreOpening, at path: String, _ opened: Result<DatabasePool, StoreUnusable>, logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }, clock: any MonotonicClock = .system
    ) {
        self.opening = opening
        self.path = path
        self.now = now
        self.clock = clock
        var pace = ReplacementPace(isGrowing: opening.isCache)
        let content: Content
        do throws(StoreUnusable) {
            content = .open(try Self.file(opened.get(), path, clock))
            monitor = StoreMonitor("the store \(path)", logger: logger, now: now)
        } catch {
            content = .unusable(error)
            pace.note(at: now())
            monitor = StoreMonitor("the store \(path)", failure: "\(error)", logger: logger, now: now)
        }
        state = Mutex(State(content: content, pace: pace))
    }

    static func file(
        _ pool: DatabasePool, _ path: String, _ clock: any MonotonicClock
    ) throws(StoreUnusable) -> File {
        do {
            return File(pool: pool, watch: StoreFiles(path, mark: try pool.read(StoreIdentity.mark), clock: clock))
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    /// The store's check for `rpc.health`, without an attempt to open it.
    public var check: Health.Check { monitor.check() }

    /// The store's checks for `rpc.health`: its state, whether a part is damaged, and whether it is slow. If there is no store and the pace allows it, opens it
    /// first, so that health recovers without other calls.
    /// - Parameter name: of the store; another one than `store` for one without which calls still succeed.
    public func health(as name: String = Health.Check.store) async -> [Health.Check] {
        if isOpeningDue { await replace(nil) }
        let slow = slowness.withLock {
            $0.check(
                name, title: "the store \(path)", remedy: "see whether its disk is busy or failing", at: clock.now,
                date: now())
        }
        return [monitor.check(as: name)] + [monitor.contentCheck(as: name), slow].compactMap(\.self)
    }

    /// Calls `body` from now on when an empty store has replaced this one, or a file could be opened again.
    public func onReplacement(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onReplacement = body } }

    // MARK: Access

    /// Reads on the caller's thread, for reads that take microseconds.
    public func read<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Database) throws -> Result
    ) async throws -> Result {
        try await reading { try $0.readNow(body) }
    }

    /// Reads on another thread, for reads that take time.
    public func readApart<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await reading { try await $0.read(body) }
    }

    /// Writes on another thread, in a transaction.
    public func write<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        let (result, hasWritten) = try await using(.writing) { pool in
            try await pool.write { db in
                let changes = db.totalChangesCount
                return (try body(db), db.totalChangesCount != changes)
            }
        }
        if hasWritten { monitor.noteSuccess(of: .reading, .writing) }
        return result
    }

    /// Reads with several statements, or on several connections.
    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result
    ) async throws -> Result {
        try await using(.reading, body)
    }

    /// Writes with several transactions.
    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result
    ) async throws -> Result {
        let result = try await using(.writing, body)
        monitor.noteSuccess(of: .reading, .writing)
        return result
    }

    func using<Result>(
        _ access: Access, isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result
    ) async throws -> Result {
        let file = try await file()
        let start = clock.now
        defer {
            // Validations take long.
            if access != .validating {
                let end = clock.now
                slowness.withLock { $0.note(end - start, at: end) }
            }
        }
        do {
            return switch access {
            case .reading: try await file.watch.reading { try await body(file.pool) }
            case .validating: try await file.watch.checking { try await body(file.pool) }
            case .writing: try await file.watch.writing { try await body(file.pool) }
            }
        } catch {
            let trouble = StoreTrouble(error, isReading: access != .writing)
            guard trouble != nil || error is DatabaseError else { throw error }
            // Another task has replaced or closed the file during the call.
            guard isCurrent(file) else { throw StoreError.unreachable }
            guard let trouble else { throw error }
            note(trouble, isReading: access != .writing)
            if opening.isCache, trouble.endsCache { await replace(file) }
            throw trouble.error
        }
    }

    func note(_ trouble: StoreTrouble, isReading: Bool, isProbe: Bool = false) {
        monitor.note(trouble, isReading: isReading, at: path, isCache: opening.isCache, isProbe: isProbe)
    }

    /// The file, which is opened if there is none and the pace allows it.
    private func file(isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> File {
        if let file = openFile { return file }
        if isOpeningDue { await replace(nil) }
        guard let file = openFile else { throw .unreachable }
        return file
    }

    var openFile: File? { if case .open(let file) = state.withLock(\.content) { file } else { nil } }

    func isCurrent(_ file: File) -> Bool { openFile?.pool === file.pool }

    // MARK: Closing

    /// Checkpoints the journal into the file and closes it. A copy of the file is then complete.
    public func close() throws {
        let content = state.withLock { state in
            defer { state.content = .closed }
            return state.content
        }
        guard case .open(let file) = content else { return }
        // If the file was replaced, its journal stays listed: the last writes may be in it, and it belongs to no other file.
        guard file.watch.isStoreInPlace else { return try file.pool.close() }
        try opening.close(file.pool)
    }
}
