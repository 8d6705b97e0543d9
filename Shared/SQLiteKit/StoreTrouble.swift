import GRDB
import JSON
import RPC

/// The kinds of failure of an open store, as callers and operators distinguish them.
///
/// The error's `details` name the kind, `{"store":"full"}`, because `unavailable` alone can also mean that the service does not
/// answer.
public enum StoreTrouble: String, CaseIterable, Sendable {
    case full
    case busy

    /// The file or its disk cannot be read or written.
    case unusable

    /// A part of the file cannot be read.
    case unreadable
    case damaged

    /// The file was removed or replaced while it was in use.
    case displaced

    /// Another program has written to the file while it was in use.
    case overwritten

    /// The service runs without a store.
    case absent

    /// Nil for an error that is a fault of the program.
    init?(_ error: DatabaseError, isReading: Bool) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
        case .SQLITE_IOERR where isReading: self = .unreadable
        case .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_CANTOPEN: self = .unusable
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
        default: return nil
        }
    }

    /// Whether it lasts even if a write succeeds.
    var isLasting: Bool {
        switch self {
        case .damaged, .unreadable, .overwritten, .absent: true
        case .full, .busy, .unusable, .displaced: false
        }
    }

    /// Whether it makes `CacheStore` replace a cache.
    var endsCache: Bool {
        switch self {
        case .damaged, .unreadable, .displaced, .overwritten: true
        case .full, .busy, .unusable, .absent: false
        }
    }

    /// The error for the caller. It names no path and does not contain SQLite's message.
    public var answer: RPCError {
        RPCError(
            self == .damaged || self == .overwritten ? .dataLoss : .unavailable, message,
            details: RawJSON(self, as: Self.codec))
    }

    private static let codec = Codec<StoreTrouble>.object { object in
        let store = object.required("store", .oneOf, \.self)
        return { members throws(JSONError) in try members[store] }
    }

    private var message: String {
        switch self {
        case .full: "nothing was written: the service's disk is full; free some space and try again"
        case .busy: "nothing was written: another process holds the service's store; try again"
        case .unusable, .unreadable: "the service's store cannot be used; its log and rpc.health say why"
        case .damaged: "the service's store is damaged; its log and rpc.health name it"
        case .displaced:
            "the service's store was removed or replaced; its log and rpc.health say what to do"
        case .overwritten:
            "the service's store was overwritten by another program; its log and rpc.health say what to do"
        case .absent: "the service has no store; its log and rpc.health say why"
        }
    }

    /// The log line for the operator.
    /// - Parameter isCache: whether the store is a cache, which `CacheStore` replaces.
    func report(_ path: String, _ reason: String, isCache: Bool) -> String {
        switch self {
        case .unreadable where isCache:
            "parts of the cache \(path) cannot be read: \(reason); an empty one replaces it; check its disk"
        case .damaged where isCache: "the cache \(path) is damaged (\(reason)); an empty one replaces it"
        case .displaced where isCache:
            """
            the cache \(path) or its journal (-wal) was removed or replaced while it was in use; an empty one \
            replaces it
            """
        case .overwritten where isCache:
            "the cache \(path) was overwritten by another program while it was in use; an empty one replaces it"
        case .full: "nothing was written: the disk of \(path) is full; free some space and try again"
        case .busy: "another process holds the store \(path); try again"
        case .unusable: "the store \(path) cannot be used: \(reason)"
        case .unreadable: "parts of the store \(path) cannot be read: \(reason); check its disk"
        case .damaged: "the store \(path) is damaged (\(reason)); restore it from a copy"
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
        case .absent: "there is no store \(path)"
        }
    }
}

extension RPCError {
    /// The store failure of this process that the error reports; nil for any other error.
    var storeTrouble: StoreTrouble? { StoreTrouble.allCases.first { $0.answer == self } }

    /// Whether the error reports that this process's store is lost, so that a cache is replaced.
    public var isStoreLost: Bool { storeTrouble?.endsCache == true }
}
