import Foundation
import GRDB

/// A store cannot be opened: which file, why, and what to do about it, in one line.
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
        case newer
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
        case let error as DatabaseError: self.init(error)
        // Making the directory.
        case CocoaError.fileWriteNoPermission: self = .noAccess
        case CocoaError.fileWriteVolumeReadOnly: self = .readOnly
        case CocoaError.fileWriteOutOfSpace: self = .full
        default: self = .other((error as NSError).localizedDescription)
        }
    }

    private init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .notADatabase
        case .SQLITE_READONLY: self = .readOnly
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: self = .noAccess
        case .SQLITE_FULL: self = .full
        default: self = .other(error.message ?? error.resultCode.description)
        }
    }

    fileprivate var text: String {
        switch self {
        case .notADatabase: "the file is damaged or not an SQLite database"
        case .foreign: "the file belongs to another program"
        case .newer: "it was written by a newer version of this program"
        case .readOnly: "the file or its file system is read-only"
        case .noAccess: "the file or its directory cannot be opened for writing"
        case .full: "the disk is full"
        case .other(let message): message
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .notADatabase: "restore it from a copy, or move it away to begin with an empty store"
        case .foreign: "choose another file with --store"
        case .newer: "run that version, or choose another file with --store"
        case .readOnly, .noAccess: "check owner and mode, or choose another file with --store"
        case .full: "free some space and start again"
        case .other: "check the file, or choose another one with --store"
        }
    }
}
