import Foundation
import Glibc
import NIOCore
import Synchronization
import Timing

/// The files of an open store, checked before and after each write, and after a read at most every 100 ms. When a file is removed,
/// renamed or replaced, SQLite still writes to the old one, and a restart would not find those writes. When another program
/// overwrites it, SQLite mixes the old and the new content.
final class StoreFiles: Sendable {
    private let path: String
    private let opened: [FileID?]
    private let header: OpenHeader
    private let clock: any MonotonicClock

    /// The time after a check in which reads do not check again.
    static let period = TimeAmount.milliseconds(100)

    private struct State {
        /// In bytes. A store in use only grows, unless it is vacuumed.
        var largestSize: Int

        var lastCheck: NIODeadline?

        /// Never reset: SQLite's memory and the file no longer match, even if the former content is put back.
        var isOverwritten = false
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: the path of a store that was just opened, so that its journal exists.
    ///   - mark: the store's `StoreIdentity.mark`.
    init(_ path: String, mark: Int32, clock: any MonotonicClock) {
        self.path = path
        self.clock = clock
        opened = Self.ids(path)
        state = Mutex(State(largestSize: opened.first??.size ?? 0))
        header = OpenHeader(path, mark: mark)
    }

    /// Runs `body`, which reads the store, and checks the store's file afterwards if that is due, or `body` fails.
    /// - Throws: `StoreDisplaced` or `StoreOverwritten`, also in place of an error of `body`, because both make SQLite fail in
    ///   many ways; else the error of `body`.
    func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        // Check afterwards: a connection that `body` opens reads the file that has the name at that time.
        let result: Result
        do {
            result = try await body()
        } catch {
            try checkStore()
            throw error
        }
        let isCheckDue = state.withLock { state in state.lastCheck.map { clock.now - $0 >= Self.period } ?? true }
        if isCheckDue { try checkStore() }
        return result
    }

    /// The same, but always checks the file.
    func checking<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let result = try await reading(body)
        try checkStore()
        return result
    }

    /// Runs `body`, which writes to the store, and checks its file and journal before and afterwards. See `reading`.
    func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        try checkAll()
        let result = try await reading(body)
        // Check before the write is acknowledged: it may have gone to an unlinked file.
        try checkAll()
        return result
    }

    /// Whether the store's file is in place. The journal is not checked.
    var isStoreInPlace: Bool { (try? checkStore()) != nil }

    private func checkAll() throws {
        try checkStore()
        guard opened == Self.ids(path) else { throw StoreDisplaced() }
    }

    /// Takes microseconds.
    private func checkStore() throws {
        try state.withLock { state in
            guard let file = FileID(path), file == opened.first else { throw StoreDisplaced() }
            state.lastCheck = clock.now
            if header.isForeign(fileSize: file.size, of: state.largestSize) { state.isOverwritten = true }
            guard !state.isOverwritten else { throw StoreOverwritten() }
            // It shrinks only when it is vacuumed.
            state.largestSize = file.size
        }
    }

    /// The inode of a file; nil when there is no file.
    static func inode(_ path: String) -> UInt64? { FileID(path)?.inode }

    /// Whether the path is a directory.
    static func isDirectory(_ path: String) -> Bool { FileID(path)?.isDirectory == true }

    /// Whether the path is of anything, even a symbolic link to nothing.
    static func isOccupied(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

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

/// The header of an open SQLite file (sqlite.org/fileformat2.html, 1.3).
private final class OpenHeader: Sendable {
    /// Stays open as long as the store, because closing any descriptor of the file would release SQLite's locks on it.
    private let descriptor: CInt
    private let first: [UInt8]
    private let mark: Int32

    private static let size = 100

    /// The magic string of every SQLite file, and the page size.
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
        // The first pages may still be in the journal only.
        guard first.count == Self.size else { return false }
        let header = Self.read(descriptor)
        guard header.count == Self.size, header[Self.constant] == first[Self.constant],
            header[Self.applicationID] == first[Self.applicationID],
            header[Self.userVersion] == first[Self.userVersion]
                || header.number(Self.userVersion) == UInt32(bitPattern: mark)
        else { return true }
        // A page size of 65,536 does not fit and is stored as 1.
        let pageSize = max(512, Int(header.number(Self.pageSize)) == 1 ? 65_536 : Int(header.number(Self.pageSize)))
        // After a vacuum the file has as many pages as its header says. While SQLite extends the file, it may have fewer, but
        // it does not shrink.
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
