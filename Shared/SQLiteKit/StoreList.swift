import Foundation
import Glibc
import ServiceKit

/// The list of all stores that a deployment has ever had: one small file for each in `ROOT/stores`, apart from the stores. With
/// it, a start detects a missing or exchanged store instead of creating an empty one in its place.
///
/// A store is listed after it was opened for writing and before its first data is written. If the process is killed in between,
/// the next start lists the store.
public struct StoreList: Sendable {
    /// What the list holds about a store.
    struct Entry: Codable, Equatable {
        /// Relative to the root if the store lies under it, so that the root can be moved.
        var path: String

        /// Equal to the identity in the store.
        var identity: String
    }

    private let root: String

    public init(_ root: Root) { self.root = root.path }

    /// - Returns: nil for a store that was never listed.
    /// - Throws: `StoreUnusable.Reason.unlisted` when the list cannot be read.
    func entry(of path: String, _ kind: String) throws(StoreUnusable.Reason) -> Entry? {
        let file = file(of: path, kind)
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        do {
            return try JSONDecoder().decode(Entry.self, from: Data(contentsOf: URL(filePath: file)))
        } catch {
            throw .unlisted("\(file) cannot be read")
        }
    }

    /// Lists a store. The entry is written atomically and durably.
    /// - Throws: `StoreUnusable.Reason.unlisted`.
    func add(_ path: String, _ kind: String, identity: String) throws(StoreUnusable.Reason) {
        let entry = Entry(path: listedPath(path), identity: identity)
        // On most starts the entry is already right. An unreadable entry is replaced.
        if let present = try? self.entry(of: path, kind), present == entry { return }
        let file = file(of: path, kind)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try Self.replace(file, by: encoder.encode(entry) + Data("\n".utf8))
        } catch {
            throw .unlisted("\(file) cannot be written")
        }
    }

    // MARK: Stores in use

    /// The inodes of a store's file and of its journal.
    struct Files: Equatable {
        let store: UInt64
        let journal: UInt64
    }

    /// The files of a store that a service has open. They stay listed after the service is killed. Then the journal holds the
    /// last writes and belongs to this file only.
    func filesInUse(of path: String, _ kind: String) -> Files? {
        let text = try? String(contentsOfFile: file(of: path, kind) + ".open", encoding: .utf8)
        let numbers = text?.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) } ?? []
        return numbers.count == 2 ? Files(store: numbers[0], journal: numbers[1]) : nil
    }

    /// Lists the files of an open store. Ignores errors, such as a full disk: then only a journal that
    /// belongs to another file goes undetected.
    func noteOpened(_ path: String, _ kind: String, _ files: Files) {
        guard filesInUse(of: path, kind) != files else { return }
        try? Self.replace(file(of: path, kind) + ".open", by: Data("\(files.store) \(files.journal)\n".utf8))
    }

    func noteClosed(_ path: String, _ kind: String) throws(StoreUnusable.Reason) {
        let file = file(of: path, kind) + ".open"
        guard unlink(file) == 0 || errno == ENOENT else { throw .unlisted("\(file) cannot be removed") }
    }

    // MARK: Names

    private var directory: String { root + "/stores" }

    private func file(of path: String, _ kind: String) -> String {
        // A hash (FNV-1a), because a path may be longer than a file name.
        let hash = "\(kind):\(listedPath(path))".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return "\(directory)/\(kind)-\(String(repeating: "0", count: 16 - digits.count))\(digits).json"
    }

    private func listedPath(_ path: String) -> String {
        let (path, root) = (CanonicalPath.ofEntry(path), CanonicalPath.of(root) + "/")
        return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }

    // MARK: Writing

    /// Replaces a file atomically: after a power cut it has the old or the new content.
    private static func replace(_ path: String, by content: Data) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // Only the process that holds the service's socket writes the entry, so the temporary name needs no suffix.
        let new = path + ".new"
        let descriptor = Glibc.open(new, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: content)
        try handle.synchronize()
        try handle.close()
        guard rename(new, path) == 0 else { throw POSIXError(.EIO) }
        syncDirectory(of: path)
    }

    /// Syncs the directory of a file, so that renames are durable. File systems that refuse this do not need it.
    static func syncDirectory(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        sync(directory.isEmpty ? "." : directory)
    }

    /// Syncs a file or a directory.
    static func sync(_ path: String) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Resolves symbolic links and relative parts of a path, even if parts of it do not exist.
enum CanonicalPath {
    static func of(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        return path == "/" || path.isEmpty ? path : ofEntry(path)
    }

    /// Resolves the parent directory only, so that the last part may be a symbolic link.
    static func ofEntry(_ path: String) -> String {
        let parent = (path as NSString).deletingLastPathComponent
        let directory = of(parent.isEmpty ? "." : parent)
        return (directory == "/" ? "" : directory) + "/" + (path as NSString).lastPathComponent
    }
}
