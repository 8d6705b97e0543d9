import Foundation
import GRDB
import Glibc

/// Opens a store: one SQLite file in WAL mode. That of an authority answers only once an acknowledged write is on disk.
public struct StoreOpening: Sendable {
    /// What tells this kind of store from other SQLite files (`PRAGMA application_id`): four letters.
    public let applicationID: String

    /// Named steps, never changed once released.
    public let migrator: DatabaseMigrator

    /// Whether a power cut may take back the last writes, though never half of one: what is kept of somebody else's can
    /// be had again.
    public let isCache: Bool

    public init(applicationID: String, migrator: DatabaseMigrator, isCache: Bool = false) {
        self.applicationID = applicationID
        self.migrator = migrator
        self.isCache = isCache
    }

    /// How long a writer waits for another process that writes to the same file.
    private static let busyTimeout: TimeInterval = 5

    /// Reads happen one after the other on the event loop, and now and then one beside it.
    private static let readers = 2

    /// - Throws: `StoreUnusable`, with the file as it was.
    public func open(_ path: String) throws(StoreUnusable) -> DatabasePool {
        do {
            let directory = (path as NSString).deletingLastPathComponent
            if !directory.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            try refuseForeignFile(path)
            makePrivate(path)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL on every connection that it opens: with it a power cut may take the last writes back.
            if !isCache { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
            try migrate(pool)
            return pool
        } catch let error as StoreUnusable {
            throw error
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.maximumReaderCount = Self.readers
        return configuration
    }

    /// Looks before anything is written, so that a file of somebody else stays as it is.
    private func refuseForeignFile(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        var configuration = Configuration()
        configuration.readonly = true
        try DatabaseQueue(path: path, configuration: configuration).read { db in
            let id = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
            guard id == number || id == 0 && isEmpty else { throw StoreUnusable(path: path, reason: .foreign) }
            if try migrator.hasBeenSuperseded(db) { throw StoreUnusable(path: path, reason: .newer) }
        }
    }

    /// Makes a file that only its owner may read, whatever the umask is; the files of its log get the same mode. Where that
    /// is not possible, opening it says why.
    private func makePrivate(_ path: String) {
        let file = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    private func migrate(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { db in
            // Takes the write lock, and with it finds out whether writing is possible at all.
            try db.inTransaction(.immediate) {
                if try Int32.fetchOne(db, sql: "PRAGMA application_id") != number {
                    try db.execute(sql: "PRAGMA application_id = \(number)")
                }
                return .commit
            }
        }
        try migrator.migrate(pool)
    }

    private var number: Int32 {
        applicationID.utf8.reduce(0) { $0 << 8 | Int32($1) }
    }
}
