import Foundation
import GRDB
import Glibc
import Logging
import ServiceKit

extension StoreOpening {
    /// Copies a store as it is at one moment, beside a service that writes to it. The copy is one file, which is checked and on disk.
    /// - Parameter file: the new file; it must not exist.
    /// - Returns: false if there never was a store.
    public func backUp(_ path: String, to file: String) throws(StoreCopyFailure) -> Bool {
        do {
            _ = try examine(path)
        } catch {
            throw StoreCopyFailure(StoreUnusable(path: path, reason: StoreUnusable.Reason(error)))
        }
        guard StoreFiles.inode(path) != nil else { return false }
        try copy(path, to: file)
        return true
    }

    /// Puts a copy into the place of a store and lists it. Its first start runs the migrations that it needs.
    ///
    /// The store gets a new identity, so that it is not mistaken for the one that was copied.
    /// - Parameter path: of the store; neither the store nor its journal may exist.
    public func restore(_ file: String, to path: String) throws(StoreCopyFailure) {
        guard StoreFiles.inode(file) != nil else { throw .missing(file) }
        // SQLite would apply a journal to any file beside it.
        for path in [path, path + "-wal"] where StoreFiles.isOccupied(path) { throw .occupied(path) }
        try makeDirectory(of: path)
        let (new, identity) = (path + ".restored", UUID.random().uuidString)
        // A restore that was killed has left it.
        unlink(new)
        try copy(file, to: new) { db in
            _ = try inspect(db, isListed: true)
            try StoreIdentity.replace(identity, db)
        }
        defer { unlink(new) }
        do throws(StoreUnusable.Reason) {
            // First, so that a store that is not complete is missing, and not another one.
            try list?.add(path, applicationID, identity: identity)
        } catch {
            throw .unwritable(path, error.text)
        }
        // Unlike `rename`, it never replaces a store that a service has just created.
        guard link(new, path) == 0 else { throw errno == EEXIST ? .occupied(path) : .unwritable(path, errno) }
        StoreList.syncDirectory(of: path)
    }

    private func makeDirectory(of path: String) throws(StoreCopyFailure) {
        let directory = (path as NSString).deletingLastPathComponent
        guard !directory.isEmpty else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(directory, StoreUnusable.Reason(error).text)
        }
    }

    /// Copies a store into a new file, which does not exist after an error.
    /// - Parameter change: checks or changes the copy.
    private func copy(
        _ path: String, to file: String, change: (Database) throws -> Void = { _ in }
    ) throws(StoreCopyFailure) {
        let descriptor = Glibc.open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw errno == EEXIST ? .occupied(file) : .unwritable(file, errno) }
        defer { Glibc.close(descriptor) }
        do {
            try Self.reading(path) { source in
                let size = try Self.size(source)
                try Self.checkSpace(for: file, size)
                let target = try DatabaseQueue(path: file, configuration: configuration)
                try target.writeWithoutTransaction { target in
                    // The whole file is synced below, and removed after an error.
                    try target.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                    // In one step, which reads the store as it is at one moment.
                    try source.backup(to: target)
                    // The copy has the mode of the store, which has its journal beside it.
                    try target.execute(sql: "PRAGMA journal_mode = DELETE")
                    try change(target)
                    let findings = try String.fetchAll(target, sql: "PRAGMA integrity_check(1)")
                    guard findings == ["ok"] else {
                        throw StoreCopyFailure.damaged(path, findings.joined(separator: "; "))
                    }
                }
                try target.close()
            }
            guard fsync(descriptor) == 0 else { throw StoreCopyFailure.unwritable(file, errno) }
        } catch {
            unlink(file)
            throw StoreCopyFailure(error, copying: path, to: file)
        }
    }

    private static func size(_ db: Database) throws -> Int {
        let numbers = try ["page_count", "page_size"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") ?? 0 }
        return numbers[0] * numbers[1]
    }

    private static func checkSpace(for file: String, _ needed: Int) throws(StoreCopyFailure) {
        var system = statvfs()
        guard statvfs(file, &system) == 0 else { throw .unwritable(file, errno) }
        let free = Int(system.f_bavail) * Int(system.f_frsize)
        guard free >= needed else { throw .full(file, needed, free: free) }
    }
}

extension StoreCopyFailure {
    fileprivate init(_ error: any Error, copying path: String, to file: String) {
        switch error {
        case let failure as StoreCopyFailure: self = failure
        case let reason as StoreUnusable.Reason: self = .refused(path, reason)
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path, error.message ?? "\(error.resultCode)")
            case .SQLITE_FULL: self = .unwritable(file, ENOSPC)
            case let code: self = .unwritable(file, "copying \(path) fails: \(error.message ?? "\(code)")")
            }
        default: self = .unwritable(file, (error as NSError).localizedDescription)
        }
    }
}

extension StoreOpening {
    /// Opens the file of an authority's store in a deployment, or creates it, for a copy.
    /// - Throws: `StoreCopyRefusal`.
    public func store(at path: String, in root: Root, logger: Logger) throws(StoreCopyRefusal) -> Store {
        // A file that a list names and that was removed since may be the target of a copy.
        let opening = listed(in: root, isNew: StoreFiles.inode(path) == nil)
        do throws(StoreUnusable) {
            return Store(opening, at: path, .success(try opening.open(path)), logger: logger)
        } catch {
            throw .unusable("\(error)")
        }
    }
}
