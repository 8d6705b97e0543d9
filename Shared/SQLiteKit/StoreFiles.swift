import Foundation
import Glibc
import Synchronization

/// The files that an open store writes to. When such a file is removed, renamed or replaced, SQLite still writes to the
/// old one, and a restart does not find what was written. When another program overwrites it, SQLite mixes the old and the
/// new content.
final class StoreFiles: Sendable {
    private let path: String
    private let opened: [FileID?]
    private let header: OpenHeader

    private struct State {
        /// In bytes; a store in use grows, unless it is vacuumed.
        var largestSize: Int

        /// What SQLite has in memory belongs to the former content, even if that is put back.
        var isOverwritten = false
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: of a store that was just opened, so that its journal exists.
    ///   - mark: the store's `StoreIdentity.mark`.
    init(_ path: String, mark: Int32) {
        self.path = path
        opened = Self.ids(path)
        state = Mutex(State(largestSize: opened.first??.size ?? 0))
        header = OpenHeader(path, mark: mark)
    }

    /// Runs something that reads the store.
    /// - Throws: `StoreDisplaced`, `StoreOverwritten`, also instead of an error of `body`: either makes SQLite fail in many
    ///   ways.
    func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        // Afterwards: a connection that was opened in `body` reads what has that name then.
        let result: Result
        do {
            result = try await body()
        } catch {
            try checkStore()
            throw error
        }
        try checkStore()
        return result
    }

    /// Runs something that needs the store's journal too. See `reading`.
    func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try checkAll()
        let result = try await reading(body)
        // Before it is acknowledged: it may have gone into a file without a name.
        try checkAll()
        return result
    }

    /// Whether the store is in place, whatever happened to its journal.
    var isStoreInPlace: Bool { (try? checkStore()) != nil }

    private func checkAll() throws {
        try checkStore()
        guard opened == Self.ids(path) else { throw StoreDisplaced() }
    }

    /// Takes microseconds.
    private func checkStore() throws {
        try state.withLock { state in
            guard let file = FileID(path), file == opened.first else { throw StoreDisplaced() }
            if header.isForeign(fileSize: file.size, of: state.largestSize) { state.isOverwritten = true }
            guard !state.isOverwritten else { throw StoreOverwritten() }
            // Smaller only after it was vacuumed.
            state.largestSize = file.size
        }
    }

    /// The inode of a file; nil when there is none.
    static func inode(_ path: String) -> UInt64? { FileID(path)?.inode }

    /// Whether there is a directory of that name.
    static func isDirectory(_ path: String) -> Bool { FileID(path)?.isDirectory == true }

    private static func ids(_ path: String) -> [FileID?] { [FileID(path), FileID(path + "-wal")] }
}

private struct FileID: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    let isDirectory: Bool

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int(status.st_size))
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
    }

    static func == (one: FileID, other: FileID) -> Bool { one.device == other.device && one.inode == other.inode }
}

/// The header of an SQLite file that is open (sqlite.org/fileformat2.html, 1.3).
private final class OpenHeader: Sendable {
    /// Open as long as the store is: closing any descriptor of a file ends the locks that SQLite has on it.
    private let descriptor: CInt
    private let first: [UInt8]
    private let mark: Int32

    private static let size = 100

    /// The text that every SQLite file begins with, and the size of its pages.
    private static let constant = 0..<18
    private static let pageSize = 16..<18
    private static let pageCount = 28..<32
    private static let userVersion = 60..<64
    private static let applicationID = 68..<72

    init(_ path: String, mark: Int32) {
        self.mark = mark
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        first = Self.read(descriptor)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func read(_ descriptor: CInt) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { $1 = max(0, pread(descriptor, $0.baseAddress, size, 0)) }
    }

    /// Whether another program has overwritten or truncated the file.
    func isForeign(fileSize: Int, of largestSize: Int) -> Bool {
        // What was written first may be in the journal still.
        guard first.count == Self.size else { return false }
        let header = Self.read(descriptor)
        guard header.count == Self.size, header[Self.constant] == first[Self.constant],
            header[Self.applicationID] == first[Self.applicationID],
            header[Self.userVersion] == first[Self.userVersion]
                || header.number(Self.userVersion) == UInt32(bitPattern: mark)
        else { return true }
        // One of 65,536 bytes does not fit and is 1.
        let pageSize = max(512, Int(header.number(Self.pageSize)) == 1 ? 65_536 : Int(header.number(Self.pageSize)))
        // A file that SQLite vacuums has as many pages as its header says; one that SQLite extends was not larger before.
        return fileSize < largestSize && fileSize < Int(header.number(Self.pageCount)) * pageSize
    }
}

extension [UInt8] {
    fileprivate func number(_ range: Range<Int>) -> UInt32 { self[range].reduce(0) { $0 << 8 | UInt32($1) } }
}

/// The store's file or journal was removed or replaced while the store was open.
struct StoreDisplaced: Error {}

/// Another program has written to the store's file, or truncated it, while the store was open.
struct StoreOverwritten: Error {}
