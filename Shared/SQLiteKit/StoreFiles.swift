import Foundation
import Glibc

/// The files that an open store writes to. When such a file is removed, renamed or replaced, SQLite still writes to the
/// old one, and a restart does not find what was written.
struct StoreFiles: Sendable {
    private let path: String
    private let opened: [FileID?]

    /// - Parameter path: of a store that was just opened, so that its journal exists.
    init(_ path: String) {
        self.path = path
        opened = Self.ids(path)
    }

    /// Whether the store and its journal are still found under their names. Takes microseconds.
    var areInPlace: Bool { opened == Self.ids(path) }

    /// Whether the store is, whatever happened to its journal.
    var isStoreInPlace: Bool { opened.first == Self.ids(path).first }

    /// The inode of a file; nil when there is none.
    static func inode(_ path: String) -> UInt64? { FileID(path)?.inode }

    /// A store that was truncated is none; a journal is empty now and then.
    private static func ids(_ path: String) -> [FileID?] {
        [FileID(path, isEmptyAllowed: false), FileID(path + "-wal")]
    }
}

private struct FileID: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64

    init?(_ path: String, isEmptyAllowed: Bool = true) {
        var status = stat()
        guard stat(path, &status) == 0, isEmptyAllowed || status.st_size > 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}

/// The store's file or journal was removed or replaced while the store was open.
struct StoreDisplaced: Error {}
