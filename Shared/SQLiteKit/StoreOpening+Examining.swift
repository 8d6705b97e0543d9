import Foundation
import GRDB
import JSON

extension StoreOpening {
    /// Compares the file with the kind of store and with the list. Runs before anything is written, so that an unexpected file
    /// does not change.
    /// - Returns: the identity to write if the store has none yet.
    /// - Throws: `StoreUnusable.Reason`.
    func examine(_ path: String) throws -> String {
        let listed = isNewIntended ? nil : try list?.entry(of: path, applicationID)
        let newIdentity = UUID.random().uuidString
        if StoreFiles.isDirectory(path) { throw StoreUnusable.Reason.directory }
        let store = StoreFiles.inode(path)
        if store == nil, listed != nil { throw StoreUnusable.Reason.missing }
        try examineJournal(path, store: store)
        guard store != nil else { return newIdentity }
        let found = try Self.reading(path) { try inspect($0, isListed: listed != nil) }
        // A store of an earlier version has no identity and gets the listed one.
        guard let listed else { return newIdentity }
        if let found, found != listed.identity { throw StoreUnusable.Reason.exchanged }
        return listed.identity
    }

    /// Compares the content of a file with the kind of store.
    /// - Parameter isListed: whether there was a store in the file.
    /// - Returns: the store's identity; nil for one of an earlier version.
    /// - Throws: `StoreUnusable.Reason`.
    func inspect(_ db: Database, isListed: Bool) throws -> String? {
        let id = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        if isEmpty, id == 0 || id == number {
            if isListed { throw StoreUnusable.Reason.empty }
        } else if id != number {
            throw StoreUnusable.Reason.foreign
        }
        if try migrator.hasBeenSuperseded(db) { throw StoreUnusable.Reason.newer }
        return try StoreIdentity.find(db)
    }

    /// Whether a newer version has changed the tables of this file, so that this version cannot use it. The file does not change.
    package func isSuperseded(_ path: String) -> Bool {
        guard StoreFiles.inode(path) != nil else { return false }
        // What cannot be read is reported when it is opened.
        return (try? Self.reading(path) { try migrator.hasBeenSuperseded($0) }) ?? false
    }

    static func reading<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read(body)
    }

    /// Detects a foreign journal, which SQLite would apply to the file beside it. A missing one is in order: another program that has
    /// opened the store after a kill, such as `sqlite3`, writes the journal into the file and removes it.
    private func examineJournal(_ path: String, store: UInt64?) throws {
        guard let used = list?.filesInUse(of: path, applicationID) else { return }
        let journal = StoreFiles.inode(path + "-wal")
        guard store != used.store, journal == used.journal else { return }
        guard isNewIntended else { throw StoreUnusable.Reason.journalStale }
        _ = try Self.setAside(path + "-wal", now: Date())
    }

    /// Lists the store. Its file and journal exist by now. Their names are synced first, because after a power cut an entry
    /// without them would report a missing store.
    func addToList(_ path: String, identity: String) throws(StoreUnusable.Reason) {
        guard let list else { return }
        StoreList.syncDirectory(of: path)
        try list.add(path, applicationID, identity: identity)
        // A cache can load again what it loses with its journal.
        guard !isCache, let store = StoreFiles.inode(path), let journal = StoreFiles.inode(path + "-wal") else {
            return
        }
        list.noteOpened(path, applicationID, StoreList.Files(store: store, journal: journal))
    }
}

/// The identity of a store: a random name, both in the store and in the list of stores.
enum StoreIdentity {
    /// - Returns: nil for a store of an earlier version.
    static func find(_ db: Database) throws -> String? {
        guard try db.tableExists("store_identity") else { return nil }
        return try String.fetchOne(db, sql: "SELECT id FROM store_identity")
    }

    /// Writes the identity unless the store has one.
    /// - Returns: the identity in the store.
    static func ensure(_ identity: String, _ db: Database) throws -> String {
        let present = try find(db)
        if present == nil {
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS store_identity (id TEXT NOT NULL) STRICT")
            try db.execute(sql: "INSERT INTO store_identity (id) VALUES (?)", arguments: [identity])
        }
        let mark = Self.mark(of: present ?? identity)
        if try self.mark(db) != mark { try db.execute(sql: "PRAGMA user_version = \(mark)") }
        return present ?? identity
    }

    /// Gives the store another identity.
    static func replace(_ identity: String, _ db: Database) throws {
        if try find(db) != nil { try db.execute(sql: "DELETE FROM store_identity") }
        _ = try ensure(identity, db)
    }

    /// The hash of the identity in the file's header (`PRAGMA user_version`), which can be compared without SQLite.
    static func mark(_ db: Database) throws -> Int32 { try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }

    /// FNV-1a, 32 bits.
    private static func mark(of identity: String) -> Int32 {
        Int32(bitPattern: identity.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 })
    }
}
