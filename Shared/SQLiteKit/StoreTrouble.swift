import GRDB
import ServiceKit

/// The kinds of failure of an open file, as operators distinguish them. Callers get the `error`.
enum StoreTrouble {
    case full
    case busy

    /// The file or its disk cannot be read or written.
    case unusable(String)

    /// A part of the file cannot be read.
    case unreadable(String)
    case damaged(String)

    /// The file was removed or replaced while it was in use.
    case displaced

    /// Another program has written to the file while it was in use.
    case overwritten

    /// Nil for an error that is a fault of the program, or none of the store.
    init?(_ error: any Error, isReading: Bool) {
        switch error {
        case is StoreDisplaced: self = .displaced
        case is StoreOverwritten: self = .overwritten
        // STRICT tables accept only values that can be decoded, so another program has changed the file.
        case is RowDecodingError: self = .damaged("a row cannot be decoded")
        case let error as DatabaseError: self.init(error, isReading: isReading)
        default: return nil
        }
    }

    private init?(_ error: DatabaseError, isReading: Bool) {
        let reason = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        // The file with the journal's index has no space.
        case _ where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
        case .SQLITE_IOERR where isReading: self = .unreadable(reason)
        case .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_CANTOPEN: self = .unusable(reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(reason)
        default: return nil
        }
    }

    var error: StoreError {
        switch self {
        case .full: .full
        case .busy: .busy
        case .unusable, .displaced: .unreachable
        case .unreadable, .damaged: .damaged
        case .overwritten: .foreign
        }
    }

    /// What it concerns; nil for a lock held by another process, which is temporary, not a state of the store.
    func cause(isReading: Bool) -> StoreMonitor.Cause? {
        switch self {
        case .busy: nil
        case .damaged, .unreadable: .damage
        case .overwritten: .absence
        case .full: .failing(.writing)
        // No call is answered.
        case .displaced: .failing(.reading)
        case .unusable: .failing(isReading ? .reading : .writing)
        }
    }

    /// Whether an empty file replaces that of a cache.
    var endsCache: Bool {
        switch self {
        case .damaged, .unreadable, .displaced, .overwritten: true
        case .full, .busy, .unusable: false
        }
    }

    /// The log line for the operator.
    func report(_ path: String, isCache: Bool) -> String {
        switch self {
        case .unreadable(let reason) where isCache:
            "parts of the cache \(path) cannot be read: \(reason); an empty one replaces it; check its disk"
        case .damaged(let reason) where isCache:
            "the cache \(path) is damaged (\(reason)); an empty one replaces it"
        case .displaced where isCache:
            """
            the cache \(path) or its journal (-wal) was removed or replaced while it was in use; an empty one \
            replaces it
            """
        case .overwritten where isCache:
            "the cache \(path) was overwritten by another program while it was in use; an empty one replaces it"
        case .full: "nothing was written: the disk of \(path) is full; free some space and try again"
        case .busy: "another process holds the store \(path); try again"
        case .unusable(let reason): "the store \(path) cannot be used: \(reason)"
        case .unreadable(let reason): "parts of the store \(path) cannot be read: \(reason); check its disk"
        case .damaged(let reason): "the store \(path) is damaged (\(reason)); restore it from a copy"
        case .displaced:
            """
            the store \(path) or its journal (-wal) was removed or replaced while it was in use; no call is \
            answered: put the file back, or restart the service, which says what to do
            """
        case .overwritten:
            """
            the store \(path) was overwritten or truncated by another program while it was in use; no call is answered: \
            stop the service, remove the journal (-wal), restore the store from a copy, and start the service
            """
        }
    }
}
