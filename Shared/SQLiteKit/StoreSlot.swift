import Foundation
import GRDB
import Synchronization

/// The place of a service's store: holds the open store, or why there is none. A cache may get another store while the
/// service runs.
public final class StoreSlot<Store: Sendable>: Sendable {
    /// A store in use.
    struct Content: Sendable {
        let pool: DatabasePool
        let store: Store
        let files: StoreFiles
    }

    private struct State {
        var content: Result<Content, StoreUnusable>
        var pace = ReplacementPace()

        /// One task opens a store at a time; after `close` none does.
        var isReplacing = false
        var isClosed = false
    }

    private let opening: StoreOpening
    private let path: String
    private let make: @Sendable (DatabasePool) throws -> Store
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameters:
    ///   - opened: from `ServiceProcess.openStore`.
    ///   - make: makes the service's store of an open file.
    public init(
        _ opening: StoreOpening, at path: String, _ opened: Result<DatabasePool, StoreUnusable>,
        now: @escaping @Sendable () -> Date = { Date() }, make: @escaping @Sendable (DatabasePool) throws -> Store
    ) {
        self.opening = opening
        self.path = path
        self.now = now
        self.make = make
        var state = State(
            content: opened.flatMap { pool in
                Result { () throws(StoreUnusable) in try Self.content(pool, path, make) }
            })
        if case .failure = opened { state.pace.note(at: now()) }
        self.state = Mutex(state)
    }

    /// Nil when there is none.
    public var store: Store? { content?.store }

    /// Why there is none; nil when there is one.
    public var failure: StoreUnusable? {
        if case .failure(let failure) = state.withLock(\.content) { failure } else { nil }
    }

    var content: Content? { try? state.withLock(\.content).get() }

    func isCurrent(_ content: Content) -> Bool { self.content?.pool === content.pool }

    /// Brings what was written last into the file, so that a copy of it is a copy of everything. No store follows, unless
    /// `replace` is told to ignore the pace.
    public func close() throws {
        let closed = StoreUnusable(path: path, reason: .other("it was closed"))
        let content: Content? = state.withLock { state in
            let content = try? state.content.get()
            state.content = .failure(closed)
            state.isClosed = true
            return content
        }
        guard let content else { return }
        // Otherwise what was written last stays in the journal, which is no other file's.
        guard content.files.isStoreInPlace else { return try content.pool.close() }
        try opening.close(content.pool)
    }

    // MARK: Replacing

    /// What `replace` has done.
    enum Replacement: Equatable {
        /// Nothing: it is too early, or another task does it.
        case none
        case opened(report: String?)
        case failed(StoreUnusable)
    }

    /// Opens a store where there is none, or in the place of one that is damaged. A file that cannot be used is set aside.
    /// - Parameters:
    ///   - damaged: the store to replace; nil to open one only where there is none.
    ///   - isForced: whether to ignore the pace.
    func replace(_ damaged: Content?, isForced: Bool = false) -> Replacement {
        guard begin(replacing: damaged, isForced: isForced) else { return .none }
        var report: String?
        let content = Result { () throws(StoreUnusable) in try open(insteadOf: damaged?.pool) { report = $0 } }
        let isUnwanted = state.withLock { state in
            state.isReplacing = false
            // Closed in the meantime.
            if state.isClosed, !isForced { return true }
            state.content = content
            state.isClosed = false
            return false
        }
        switch content {
        case .success(let content):
            guard isUnwanted else { return .opened(report: report) }
            close(content.pool)
            return .none
        case .failure(let failure): return .failed(failure)
        }
    }

    private func begin(replacing damaged: Content?, isForced: Bool) -> Bool {
        let now = now()
        return state.withLock { state in
            let current = try? state.content.get()
            guard !state.isReplacing, current?.pool === damaged?.pool else { return false }
            guard isForced || !state.isClosed && state.pace.isDue(at: now) else { return false }
            state.isReplacing = true
            state.pace.note(at: now)
            if damaged != nil { state.content = .failure(StoreUnusable(path: path, reason: .notADatabase)) }
            return true
        }
    }

    /// Whether a store could be opened now where there is none.
    var isOpeningDue: Bool {
        let now = now()
        return state.withLock { !$0.isReplacing && !$0.isClosed && $0.pace.isDue(at: now) }
    }

    private func open(
        insteadOf damaged: DatabasePool?, report: (String) -> Void
    ) throws(StoreUnusable) -> Content {
        if let damaged { return try begin(insteadOf: damaged, report: report) }
        let pool = try opening.openReplacing(path, now: now(), report: report)
        do throws(StoreUnusable) {
            return try Self.content(pool, path, make)
        } catch {
            guard error.reason == .notADatabase else { throw error }
            return try begin(insteadOf: pool, report: report)
        }
    }

    /// Begins an empty store in the place of a damaged one.
    private func begin(insteadOf damaged: DatabasePool, report: (String) -> Void) throws(StoreUnusable) -> Content {
        report(try remove(damaged))
        return try Self.content(opening.intendingNew.open(path), path, make)
    }

    /// Closes a damaged store and sets its file aside.
    /// - Returns: a line for the log.
    private func remove(_ damaged: DatabasePool) throws(StoreUnusable) -> String {
        close(damaged)
        guard FileManager.default.fileExists(atPath: path) else {
            return "the store \(path) was removed while it was in use; an empty one begins"
        }
        do {
            let name = try StoreOpening.setAside(path, now: now())
            return "the store \(path) cannot be used: it was renamed to \(name), and an empty one begins"
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    /// A store that is given up is closed as far as that is possible: a damaged one may refuse, and is not used again.
    private func close(_ pool: DatabasePool) { try? pool.closeIntoOneFile() }

    private static func content(
        _ pool: DatabasePool, _ path: String, _ make: (DatabasePool) throws -> Store
    ) throws(StoreUnusable) -> Content {
        do {
            let files = StoreFiles(path, mark: try pool.read(StoreIdentity.mark))
            return Content(pool: pool, store: try make(pool), files: files)
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }
}
