import Foundation
import GRDB
import Glibc
import ServiceKit

/// Opens a store: one SQLite file in WAL mode. That of an authority answers only once an acknowledged write is on disk.
public struct StoreOpening: Sendable {
    /// What tells this kind of store from other SQLite files (`PRAGMA application_id`): four letters.
    public let applicationID: String

    /// Named steps, never changed once released.
    public let migrator: DatabaseMigrator

    /// Whether a power cut may take back the last writes, though never half of one: what is kept of somebody else's can
    /// be had again.
    public let isCache: Bool

    /// The stores that once existed; nil where nothing is known about them.
    private(set) var list: StoreList?

    /// Whether the operator wants a new store where the one that was there cannot be used.
    private(set) var isNewIntended = false

    public init(applicationID: String, migrator: DatabaseMigrator, isCache: Bool = false) {
        self.applicationID = applicationID
        self.migrator = migrator
        self.isCache = isCache
    }

    /// The same for a store that a deployment lists.
    /// - Parameter isNew: whether the operator wants a new store where the one that was there cannot be used.
    public func listed(in root: Root, isNew: Bool = false) -> StoreOpening {
        var opening = self
        opening.list = StoreList(root)
        opening.isNewIntended = isNew
        return opening
    }

    /// The same for a new store.
    var intendingNew: StoreOpening {
        var opening = self
        opening.isNewIntended = true
        return opening
    }

    /// How long a writer waits for another process that writes to the same file.
    private static let busyTimeout: TimeInterval = 5

    /// Reads happen one after the other on the event loop, and now and then one beside it.
    private static let readers = 2

    /// - Throws: `StoreUnusable`, with the file as it was.
    public func open(_ path: String) throws(StoreUnusable) -> DatabasePool {
        do {
            let identity = try examine(path)
            let directory = (path as NSString).deletingLastPathComponent
            if !directory.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            makePrivate(path)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL on every connection that it opens: with it a power cut may take the last writes back.
            if !isCache { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
            try addToList(path, identity: migrate(pool, identity))
            return pool
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    /// Brings what was written last into the file, so that a copy of it is a copy of everything.
    func close(_ pool: DatabasePool) throws {
        // Before SQLite removes the journal. Otherwise, after a kill between the two, the next start would report a missing
        // journal.
        try list?.noteClosed(pool.path, applicationID)
        try pool.closeIntoOneFile()
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.maximumReaderCount = Self.readers
        return configuration
    }

    /// Makes a file that only its owner may read, whatever the umask is; the files of its log get the same mode. Where that
    /// is not possible, opening it says why.
    private func makePrivate(_ path: String) {
        let file = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if file >= 0 { Glibc.close(file) }
    }

    /// - Returns: the store's identity.
    private func migrate(_ pool: DatabasePool, _ identity: String) throws -> String {
        var isNew = false
        let identity = try pool.writeWithoutTransaction { db in
            var stored = identity
            // Takes the write lock, and with it finds out whether writing is possible at all.
            try db.inTransaction(.immediate) {
                if try Int32.fetchOne(db, sql: "PRAGMA application_id") != number {
                    try db.execute(sql: "PRAGMA application_id = \(number)")
                }
                isNew = try StoreIdentity.find(db) == nil
                stored = try StoreIdentity.ensure(identity, db)
                return .commit
            }
            return stored
        }
        try migrator.migrate(pool)
        // The identity is in the file from now on: in a journal it would be that of any file beside it.
        if isNew { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        return identity
    }

    var number: Int32 {
        applicationID.utf8.reduce(0) { $0 << 8 | Int32($1) }
    }
}
