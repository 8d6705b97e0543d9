import Foundation
import Glibc
import ServiceKit

/// The stores that a deployment has ever had: one small file each in `ROOT/stores`, apart from the stores themselves. So a
/// store that is missing or was exchanged is noticed, instead of being replaced by a new empty one.
///
/// A store is listed once it can be written to and before anything is written to it: a process that is killed in between
/// leaves a store that the next start lists.
public struct StoreList: Sendable {
    /// What is known about a store.
    struct Entry: Codable, Equatable {
        /// Relative to the root for a store under it, so that a root can be moved.
        var path: String

        /// The same as in the store itself.
        var identity: String
    }

    private let root: String

    public init(_ root: Root) { self.root = root.path }

    /// - Returns: nil for a store that never was.
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

    /// Lists a store. The entry is on disk afterwards, as a whole or not at all.
    /// - Throws: `StoreUnusable.Reason.unlisted`.
    func add(_ path: String, _ kind: String, identity: String) throws(StoreUnusable.Reason) {
        let entry = Entry(path: listedPath(path), identity: identity)
        // Most starts change nothing. An entry that cannot be read is replaced.
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

    /// The files of a store while a service has it open. A service that was killed leaves them listed: then the journal
    /// holds what was written last, and belongs to no other file.
    func filesInUse(of path: String, _ kind: String) -> Files? {
        let text = try? String(contentsOfFile: file(of: path, kind) + ".open", encoding: .utf8)
        let numbers = text?.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) } ?? []
        return numbers.count == 2 ? Files(store: numbers[0], journal: numbers[1]) : nil
    }

    /// A full disk is no reason not to serve: then only a journal that is removed after a kill is not noticed.
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
        // FNV-1a: a path may be longer than a file name.
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

    /// Replaces a file so that it has the old or the new content after a power cut.
    private static func replace(_ path: String, by content: Data) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // Two services never write the same entry at a time: the one that has the store's socket does.
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

    /// Makes the names in a file's directory durable. Some file systems refuse; they need no such call.
    static func syncDirectory(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = Glibc.open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Spells a path in one way, without symbolic links and relative parts, whether or not all of it exists.
enum CanonicalPath {
    static func of(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        return path == "/" || path.isEmpty ? path : ofEntry(path)
    }

    /// The same without following the last part: where a file's name is.
    static func ofEntry(_ path: String) -> String {
        let parent = (path as NSString).deletingLastPathComponent
        let directory = of(parent.isEmpty ? "." : parent)
        return (directory == "/" ? "" : directory) + "/" + (path as NSString).lastPathComponent
    }
}
