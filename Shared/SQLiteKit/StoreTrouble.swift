import GRDB
import JSON
import RPC

/// What goes wrong with a store that was opened, as far as callers and operators tell the cases apart.
///
/// The answer's `details` name it, `{"store":"full"}`: `unavailable` alone may also mean that nobody answers.
public enum StoreTrouble: String, CaseIterable, Sendable {
    case full
    case busy

    /// The file or its disk cannot be read or written.
    case unusable

    /// The file cannot be read in a place where others can.
    case unreadable
    case damaged

    /// The file was removed or replaced while it was in use.
    case displaced

    /// Another program has written to the file while it was in use.
    case overwritten

    /// The service runs without a store.
    case absent

    /// Nil for what is a fault of the program.
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

    /// Whether a write that succeeds does not prove that it has ended.
    var isLasting: Bool {
        switch self {
        case .damaged, .unreadable, .overwritten, .absent: true
        case .full, .busy, .unusable, .displaced: false
        }
    }

    /// Whether a cache is replaced for it.
    var endsCache: Bool {
        switch self {
        case .damaged, .unreadable, .displaced, .overwritten: true
        case .full, .busy, .unusable, .absent: false
        }
    }

    /// For any client: no path, no wording of the library.
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

    /// For the operator.
    /// - Parameter isCache: whether an empty store replaces one that cannot be read (`SoftStore`).
    func report(_ path: String, _ reason: String, isCache: Bool) -> String {
        switch self {
        case .unreadable where isCache:
            "the cache \(path) cannot be read everywhere: \(reason); an empty one replaces it; check its disk"
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
        case .unreadable: "the store \(path) cannot be read everywhere: \(reason); check its disk"
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
    /// What it says about a store of this process.
    var storeTrouble: StoreTrouble? { StoreTrouble.allCases.first { $0.answer == self } }

    /// Whether it says that the file of this process's store is not what it was: a cache is replaced then.
    public var isStoreLost: Bool { storeTrouble?.endsCache == true }
}
