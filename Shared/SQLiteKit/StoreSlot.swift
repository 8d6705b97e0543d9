import Foundation
import GRDB
import Synchronization

/// Holds a service's open store, or the reason why there is none. A cache's store can be replaced while the service runs.
public final class StoreSlot: Sendable {
    /// A store in use.
    struct Content: Sendable {
        let pool: DatabasePool
        let files: StoreFiles
    }

    private struct State {
        var content: Result<Content, StoreUnusable>
        var pace = ReplacementPace()

        /// Called when a store was opened in place of another one, or of none.
        var onReplacement: @Sendable () -> Void = {}

        /// Set while a task opens a store, so that only one does at a time.
        var isReplacing = false

        /// Set by `close`; afterwards only a forced `replace` opens a store.
        var isClosed = false
    }

    private let opening: StoreOpening

    /// The path of the store's file.
    package let path: String
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameter opened: the result of `ServiceProcess.openStore`.
    public init(
        _ opening: StoreOpening, at path: String, _ opened: Result<DatabasePool, StoreUnusable>,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.opening = opening
        self.path = path
        self.now = now
        var state = State(
            content: opened.flatMap { pool in
                Result { () throws(StoreUnusable) in try Self.content(pool, path) }
            })
        if case .failure = opened { state.pace.note(at: now()) }
        self.state = Mutex(state)
    }

    /// Whether a store is open.
    public var isOpen: Bool { content != nil }

    /// Why there is none; nil when there is one.
    public var failure: StoreUnusable? {
        if case .failure(let failure) = state.withLock(\.content) { failure } else { nil }
    }

    var content: Content? { try? state.withLock(\.content).get() }

    func isCurrent(_ content: Content) -> Bool { self.content?.pool === content.pool }

    /// Checkpoints the journal into the file and closes the store. A copy of the file is then complete. Afterwards only a forced
    /// `replace` opens a store.
    public func close() throws {
        let closed = StoreUnusable(path: path, reason: .other("it was closed"))
        let content: Content? = state.withLock { state in
            let content = try? state.content.get()
            state.content = .failure(closed)
            state.isClosed = true
            return content
        }
        guard let content else { return }
        // If the file was replaced, its journal stays listed: the last writes may be in it, and it belongs to no other file.
        guard content.files.isStoreInPlace else { return try content.pool.close() }
        try opening.close(content.pool)
    }

    // MARK: Replacing

    /// Calls `body` from now on when a store was opened in place of another one, or of none.
    public func onReplacement(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onReplacement = body } }

    /// The outcome of `replace`.
    enum Replacement: Equatable {
        /// Too early, or another task replaces the store.
        case none
        case opened(report: String?)
        case failed(StoreUnusable)
    }

    /// Opens a store if there is none, or replaces a damaged one. An unusable file is renamed.
    /// - Parameters:
    ///   - damaged: the store to replace; nil to open one only if there is none.
    ///   - isForced: whether to ignore the pace.
    func replace(_ damaged: Content?, isForced: Bool = false) -> Replacement {
        guard begin(replacing: damaged, isForced: isForced) else { return .none }
        var report: String?
        let content = Result { () throws(StoreUnusable) in try open(insteadOf: damaged?.pool) { report = $0 } }
        let isUnwanted = state.withLock { state in
            state.isReplacing = false
            // `close` was called in the meantime.
            if state.isClosed, !isForced { return true }
            state.content = content
            state.isClosed = false
            return false
        }
        switch content {
        case .success(let content):
            guard isUnwanted else {
                state.withLock(\.onReplacement)()
                return .opened(report: report)
            }
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

    /// Whether the pace allows opening a store now.
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
            return try Self.content(pool, path)
        } catch {
            guard error.reason == .notADatabase else { throw error }
            return try begin(insteadOf: pool, report: report)
        }
    }

    /// Replaces a damaged store with an empty one.
    private func begin(insteadOf damaged: DatabasePool, report: (String) -> Void) throws(StoreUnusable) -> Content {
        report(try remove(damaged))
        return try Self.content(opening.intendingNew.open(path), path)
    }

    /// Closes a damaged store and renames its file.
    /// - Returns: a line for the log.
    private func remove(_ damaged: DatabasePool) throws(StoreUnusable) -> String {
        close(damaged)
        guard FileManager.default.fileExists(atPath: path) else {
            return "the store \(path) was removed while it was in use; an empty one is created"
        }
        do {
            let name = try StoreOpening.setAside(path, now: now())
            return "the store \(path) cannot be used: it was renamed to \(name), and an empty one is created"
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    /// Closes a store that is not used again. Ignores errors, because a damaged store may fail to close.
    private func close(_ pool: DatabasePool) { try? pool.closeIntoOneFile() }

    private static func content(_ pool: DatabasePool, _ path: String) throws(StoreUnusable) -> Content {
        do {
            return Content(pool: pool, files: StoreFiles(path, mark: try pool.read(StoreIdentity.mark)))
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }
}
