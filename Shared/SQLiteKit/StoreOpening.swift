import Foundation
import GRDB
import Glibc
import ServiceKit

/// Opens a store: one SQLite file in WAL mode. The store of an authority acknowledges a write after it is on disk.
public struct StoreOpening: Sendable {
    /// The kind of store, as four letters (`PRAGMA application_id`). It tells the store from other SQLite files.
    public let applicationID: String

    /// The migrations. Released ones must not change.
    public let migrator: DatabaseMigrator

    /// Whether the store is a cache, whose content can be loaded again. A power cut may undo its last writes, each as a whole.
    public let isCache: Bool

    /// Adds what the statements of the store need to a new connection, such as functions.
    private let prepare: (@Sendable (Database) throws -> Void)?

    /// The deployment's list of stores; nil for a store that is not listed.
    private(set) var list: StoreList?

    /// Whether the operator wants a new store if the present one is unusable.
    private(set) var isNewIntended = false

    public init(
        applicationID: String, migrator: DatabaseMigrator, isCache: Bool = false,
        prepare: (@Sendable (Database) throws -> Void)? = nil
    ) {
        self.applicationID = applicationID
        self.migrator = migrator
        self.isCache = isCache
        self.prepare = prepare
    }

    /// A copy that compares the store with the deployment's list.
    /// - Parameter isNew: whether the operator wants a new store if the present one is unusable.
    public func listed(in root: Root, isNew: Bool = false) -> StoreOpening {
        var opening = self
        opening.list = StoreList(root)
        opening.isNewIntended = isNew
        return opening
    }

    /// A copy that creates a new store if the present one is unusable.
    var intendingNew: StoreOpening {
        var opening = self
        opening.isNewIntended = true
        return opening
    }

    /// How long a writer waits for the lock of another process, in seconds.
    private static let busyTimeout: TimeInterval = 5

    /// One for the event loop, where reads are sequential, and one for an occasional read off the loop.
    private static let readers = 2

    /// Opens or creates the store and runs its migrations.
    /// - Throws: `StoreUnusable`.
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
            // GRDB opens every connection with NORMAL, with which a power cut may undo the last writes.
            if !isCache { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
            try addToList(path, identity: migrate(pool, identity))
            return pool
        } catch {
            throw StoreUnusable(path: path, reason: StoreUnusable.Reason(error))
        }
    }

    /// Checkpoints the journal into the file and closes the store. A copy of the file is then complete.
    func close(_ pool: DatabasePool) throws {
        try pool.closeIntoOneFile()
        try list?.noteClosed(pool.path, applicationID)
    }

    var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.maximumReaderCount = Self.readers
        if let prepare { configuration.prepareDatabase(prepare) }
        return configuration
    }

    /// Creates the file with mode 0600, whatever the umask is. SQLite gives the journal the same mode. Errors are ignored,
    /// because opening the file reports them.
    private func makePrivate(_ path: String) {
        let file = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if file >= 0 { Glibc.close(file) }
    }

    /// - Returns: the store's identity.
    private func migrate(_ pool: DatabasePool, _ identity: String) throws -> String {
        var isNew = false
        let identity = try pool.writeWithoutTransaction { db in
            var stored = identity
            try db.inTransaction(.immediate) {
                if try Int32.fetchOne(db, sql: "PRAGMA application_id") != number {
                    try db.execute(sql: "PRAGMA application_id = \(number)")
                }
                isNew = try StoreIdentity.find(db) == nil
                stored = try StoreIdentity.ensure(identity, db)
                // SQLite opens a file that cannot be written for reading, also when it can be written later. Only a statement that
                // writes fails, also one that changes nothing.
                try db.execute(sql: "DELETE FROM store_identity WHERE false")
                return .commit
            }
            return stored
        }
        if !isCache { try copyBeforeMigrating(pool) }
        try migrator.migrate(pool)
        // Checkpoint the identity into the file: SQLite would apply it from the journal to any file beside it.
        if isNew { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        return identity
    }

    /// Copies a store that migrations will change to `PATH.before-N`, N being the number of the first of them: an earlier version of the
    /// program can use the copy.
    private func copyBeforeMigrating(_ pool: DatabasePool) throws {
        let applied = try pool.writeWithoutTransaction(migrator.appliedIdentifiers)
        guard !applied.isEmpty, let next = migrator.migrations.first(where: { !applied.contains($0) }) else { return }
        let copy = "\(pool.path).before-\(next.prefix { $0 != " " })"
        let new = copy + ".new"
        // Also what an interrupted start has left, or a full disk.
        defer { unlink(new) }
        unlink(new)
        makePrivate(new)
        // By SQLite: to open and close the file here would release SQLite's locks on it.
        try pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [new]) }
        StoreList.sync(new)
        guard rename(new, copy) == 0 else { throw CocoaError(.fileWriteUnknown) }
        StoreList.syncDirectory(of: copy)
    }

    var number: Int32 {
        applicationID.utf8.reduce(0) { $0 << 8 | Int32($1) }
    }
}
