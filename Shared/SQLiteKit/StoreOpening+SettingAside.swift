import Foundation
import GRDB

extension StoreOpening {
    /// Opens a store. If the content of the file is unusable, renames the file and creates an empty store.
    /// - Parameter report: receives one line after a replacement.
    /// - Throws: `StoreUnusable` when a new store cannot be opened either, or the file must not be touched.
    public func openReplacing(
        _ path: String, now: Date, report: (String) -> Void
    ) throws(StoreUnusable) -> DatabasePool {
        do throws(StoreUnusable) {
            return try open(path)
        } catch {
            if case .unlisted = error.reason, isCache { return try intendingNew.open(path) }
            guard isReplaceable(error) else { throw error }
            let name = try setAside(path, now: now)
            let pool = try intendingNew.open(path)
            let renaming = name.map { "it was renamed to \($0), and " } ?? ""
            report("cannot use the store \(path): \(error.reason.text); \(renaming)an empty one is created")
            return pool
        }
    }

    /// Whether the file's content is the reason. A file of another program is not touched, unless it is in the place of a
    /// listed store.
    private func isReplaceable(_ failure: StoreUnusable) -> Bool {
        switch failure.reason {
        case .notADatabase, .missing, .empty, .exchanged: true
        case .foreign: isListed(failure.path)
        // A directory with files may have been named by mistake.
        case .directory: isListed(failure.path) || isEmptyDirectory(failure.path)
        case .newer, .unlisted, .journalStale, .readOnly, .noAccess, .full, .other: false
        }
    }

    /// Whether there is an entry for the store, even an unreadable one.
    private func isListed(_ path: String) -> Bool {
        do throws(StoreUnusable.Reason) {
            return try list?.entry(of: path, applicationID) != nil
        } catch {
            return true
        }
    }

    private func isEmptyDirectory(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == true
    }

    /// - Returns: the new name; nil when there is no file.
    private func setAside(_ path: String, now: Date) throws(StoreUnusable) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try Self.setAside(path, now: now)
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    /// Renames an unreadable store and its journal to `PATH.corrupt-TIME`, so that a new store can take its place. No process may
    /// have the store open. Nothing is deleted or overwritten.
    /// - Returns: the new name.
    public static func setAside(_ path: String, now: Date) throws -> String {
        let name = "\(path).corrupt-\(time(now))"
        let target =
            (1...).lazy.map { $0 == 1 ? name : "\(name)-\($0)" }
            .first { !FileManager.default.fileExists(atPath: $0) } ?? name
        // The database first: SQLite deletes a journal without a database and never applies it to a new one.
        try FileManager.default.moveItem(atPath: path, toPath: target)
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
        }
        return target
    }

    /// `20260131T235959Z`
    private static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }
}
