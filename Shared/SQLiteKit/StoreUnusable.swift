import Foundation
import GRDB

/// The error of a store that cannot be opened. Its description is one line with the file, the reason and the remedy.
public struct StoreUnusable: Error, Equatable, CustomStringConvertible {
    public let path: String
    public let reason: Reason

    public init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    public enum Reason: Error, Equatable, Sendable {
        case notADatabase
        case foreign
        case directory
        case newer

        /// A listed store has no file.
        case missing

        /// The file of a listed store is empty.
        case empty

        /// The file is not the listed store, but another one of the same kind.
        case exchanged

        /// The service was killed, and the file beside its journal was replaced.
        case journalStale

        /// The list of stores cannot be read or written.
        case unlisted(String)
        case readOnly
        case noAccess
        case full
        case other(String)
    }

    public var description: String { "cannot open the store \(path): \(reason.text); \(reason.remedy)" }
}

extension StoreUnusable.Reason {
    init(_ error: any Error) {
        switch error {
        case let reason as Self: self = reason
        case let error as DatabaseError: self.init(error)
        // Errors of creating the directory.
        case CocoaError.fileWriteNoPermission: self = .noAccess
        case CocoaError.fileWriteVolumeReadOnly: self = .readOnly
        case CocoaError.fileWriteOutOfSpace: self = .full
        default: self = .other((error as NSError).localizedDescription)
        }
    }

    private init(_ error: DatabaseError) {
        switch error.resultCode {
        // The file with the journal's index has no space.
        case _ where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full
        // A migration finds a constraint violated when rows contradict one another.
        case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_CONSTRAINT: self = .notADatabase
        case .SQLITE_READONLY: self = .readOnly
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: self = .noAccess
        case .SQLITE_FULL: self = .full
        default: self = .other(error.message ?? error.resultCode.description)
        }
    }

    var text: String {
        switch self {
        case .notADatabase: "the file is damaged or not an SQLite database"
        case .foreign: "the file belongs to another program"
        case .directory: "there is a directory in place of the file"
        case .newer: "it was written by a newer version of this program"
        case .missing: "the file is missing, but there was a store"
        case .empty: "the file is empty, but there was a store in it"
        case .exchanged: "the file is not the former store"
        case .journalStale: "its journal (-wal) belongs to the former file"
        case .unlisted(let message): "the list of stores does not work: \(message)"
        case .readOnly: "the file or its file system is read-only"
        case .noAccess: "the file or its directory cannot be opened for writing"
        case .full: "the disk is full"
        case .other(let message): message
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .notADatabase:
            "restore it from a copy, or start once with --new-store to rename it and begin with an empty store"
        case .missing, .empty: "restore it from a copy, or start once with --new-store to begin with an empty store"
        case .exchanged: "restore the former store, or start once with --new-store to use this file"
        case .journalStale:
            "remove the journal if the file is a copy, or start once with --new-store to rename the journal"
        case .unlisted: "check owner, mode and disk; start once with --new-store to list the store anew"
        case .foreign: "choose another file with --store"
        case .directory: "rename it, or choose another file with --store"
        case .newer: "run that version, or choose another file with --store"
        case .readOnly, .noAccess: "check owner and mode, or choose another file with --store"
        case .full: "free some space"
        case .other: "check the file, or choose another one with --store"
        }
    }
}
