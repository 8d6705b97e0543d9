import Foundation
import GRDB
import RPC
import ServiceKit
import Synchronization

extension Store {
    /// Checks the whole store. If it is not damaged, it no longer counts as damaged. If there is none, it is opened at once.
    /// - Parameter check: checks what only the store's schema knows; returns the first damage, nil for none.
    /// - Throws: `StoreError.damaged`; it does not replace a cache.
    public func validate(_ check: @escaping @Sendable (Database) throws -> String? = { _ in nil }) async throws {
        if openFile == nil { await replace(nil, isForced: true) }
        let damage = try await using(.validating) { try await $0.damage(check) }
        if let damage {
            note(.damaged(damage), isReading: true)
            throw StoreError.damaged
        }
        monitor.noteValidated()
    }

    /// Validates a cache. Replaces it if it is damaged, and opens a file if there is none, whatever the pace is, because an operator or
    /// a daily task asks for it. A file that is no cache of this program is left as it is.
    /// - Parameter validate: throws `StoreError` for a store that cannot be used.
    /// - Returns: whether its content was damaged and is gone.
    /// - Throws: `StoreError`, if the store can be neither used nor replaced.
    public func mend(_ validate: () async throws -> Void) async throws -> Bool {
        guard let file = openFile else {
            let former = failure
            await replace(nil, isForced: true)
            switch failure?.reason {
            case nil: return former?.reason == .notADatabase
            case .foreign, .newer, .directory: return false
            default: throw StoreError.unreachable
            }
        }
        do {
            try await validate()
            return false
        } catch let error as StoreError {
            // A call may have replaced it.
            if isCurrent(file) {
                guard error == .damaged || error == .foreign || !file.watch.isStoreInPlace else { throw error }
                await replace(file, isForced: true)
            }
            guard openFile != nil else { throw error }
            return true
        }
    }

    private var failure: StoreUnusable? {
        if case .unusable(let failure) = state.withLock(\.content) { failure } else { nil }
    }

    /// Whether the pace allows opening a file now.
    var isOpeningDue: Bool {
        let now = now()
        return state.withLock { state in
            if case .unusable = state.content { state.pace.isDue(at: now) } else { false }
        }
    }

    /// Opens a file if there is none, or replaces a damaged one of a cache.
    /// - Parameters:
    ///   - damaged: the file to replace; nil to open one only if there is none.
    ///   - isForced: whether to ignore the pace.
    func replace(_ damaged: File?, isForced: Bool = false) async {
        guard begin(replacing: damaged, isForced: isForced) else { return }
        // Closing and opening take milliseconds.
        let opened = await withTaskExecutorPreference(globalConcurrentExecutor) {
            Result { () throws(StoreUnusable) in try open(insteadOf: damaged?.pool) }
        }
        let onReplacement = state.withLock { state -> (@Sendable () -> Void)? in
            // `close` was called in the meantime.
            guard case .opening = state.content else { return nil }
            switch opened {
            case .success(let (file, _)): state.content = .open(file)
            case .failure(let failure): state.content = .unusable(failure)
            }
            return state.onReplacement
        }
        switch opened {
        case .success(let (file, report)):
            guard let onReplacement else { return discard(file.pool) }
            monitor.recover(report: report)
            onReplacement()
        case .failure(let failure): if onReplacement != nil { monitor.note(failure) }
        }
    }

    private func begin(replacing damaged: File?, isForced: Bool) -> Bool {
        let now = now()
        return state.withLock { state in
            switch state.content {
            case .open(let file): guard file.pool === damaged?.pool else { return false }
            case .unusable: guard damaged == nil else { return false }
            case .opening, .closed: return false
            }
            guard isForced || state.pace.isDue(at: now) else { return false }
            state.pace.note(at: now)
            state.content = .opening
            return true
        }
    }

    /// - Returns: the file, and a line for the log if it is a new one.
    private func open(insteadOf damaged: DatabasePool?) throws(StoreUnusable) -> (File, report: String?) {
        if let damaged { return try begin(insteadOf: damaged) }
        guard opening.isCache else { return (try Self.file(opening.open(path), path, clock), nil) }
        var report: String?
        let pool = try opening.openReplacing(path, now: now()) { report = $0 }
        do throws(StoreUnusable) {
            return (try Self.file(pool, path, clock), report)
        } catch {
            guard error.reason == .notADatabase else { throw error }
            return try begin(insteadOf: pool)
        }
    }

    /// Replaces a damaged file by an empty store.
    private func begin(insteadOf damaged: DatabasePool) throws(StoreUnusable) -> (File, report: String?) {
        let report = try remove(damaged)
        return (try Self.file(opening.intendingNew.open(path), path, clock), report)
    }

    /// Closes a damaged file and renames it.
    /// - Returns: a line for the log.
    private func remove(_ damaged: DatabasePool) throws(StoreUnusable) -> String {
        discard(damaged)
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

    /// Closes a file that is not used again. Ignores errors, because a damaged one may fail to close.
    private func discard(_ pool: DatabasePool) { try? pool.closeIntoOneFile() }
}
