import Foundation
import Glibc
import RPC
import ServiceKit

/// The directory with the backups of a deployment. Each is a directory that is named after its time. It is written under another name,
/// so that every backup is complete.
struct BackupFolder {
    let path: String

    private static let unfinished = ".partial"

    /// Creates the directory if it is missing, and takes its lock.
    /// - Throws: `CommandFailure`.
    func open() throws -> FolderLock {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw CommandFailure(writing: path, errno) }
        do {
            if let lock = try FolderLock(path) { return lock }
        } catch {
            throw CommandFailure(writing: path, error.code)
        }
        throw CommandFailure(RPCError(.overloaded, "another command writes a backup into \(path); wait for its end"))
    }

    /// Makes the directory of a new backup.
    /// - Returns: its path.
    func begin(at time: Date) throws(CommandFailure) -> String {
        let stem = time.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        let names = (1...).lazy.map { $0 == 1 ? stem : "\(stem)-\($0)" }
        let free = names.first { name in
            [name, name + Self.unfinished].allSatisfy { !FileManager.default.fileExists(atPath: "\(path)/\($0)") }
        }
        let new = "\(path)/\(free ?? stem)\(Self.unfinished)"
        guard mkdir(new, 0o700) == 0 else { throw CommandFailure(writing: new, errno) }
        return new
    }

    /// Gives a complete backup its name.
    /// - Returns: its path.
    func complete(_ new: String) throws -> String {
        try SyncedFile.syncFolders(in: new)
        let complete = String(new.dropLast(Self.unfinished.count))
        guard rename(new, complete) == 0 else { throw SyncedFile.Failure(complete) }
        try SyncedFile.syncFolder(path)
        return complete
    }

    /// The names of all complete backups, the oldest first.
    func complete() throws -> [String] {
        try names(/[0-9]{8}T[0-9]{6}Z(-[0-9]+)?/).filter {
            FileManager.default.fileExists(atPath: "\(path)/\($0)/\(BackupManifest.name)")
        }
    }

    /// Removes what was not completed, and all but the latest backups of a deployment.
    /// - Parameter new: the path of the backup that was just made. It stays, also if the clock was set back before.
    func keep(_ count: Int, of root: Root, with new: String) throws {
        let own = try complete().filter { "\(path)/\($0)" != new && isBackup($0, of: root) }
        for name in own.dropLast(count - 1) {
            // An interrupted removal leaves nothing that looks complete.
            guard rename("\(path)/\(name)", "\(path)/\(name)\(Self.unfinished)") == 0 else {
                throw SyncedFile.Failure("\(path)/\(name)")
            }
        }
        for name in try names(/[0-9]{8}T[0-9]{6}Z(-[0-9]+)?\.partial/) {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// Earlier versions do not name the deployment. A backup that cannot be read belongs to none.
    private func isBackup(_ name: String, of root: Root) -> Bool {
        guard let manifest = try? BackupReader.manifest(of: "\(path)/\(name)") else { return false }
        return manifest.root == nil || manifest.root == root.resolved
    }

    private func names(_ pattern: Regex<(Substring, Substring?)>) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.wholeMatch(of: pattern) != nil }.sorted()
    }
}

extension CommandFailure {
    /// A file or folder that cannot be created or written.
    /// - Parameter code: an error number of the system.
    init(writing path: String, _ code: Int32) {
        self.init(
            RPCError(.internalError, "cannot write \(path): \(FileFault.text(writing: code))"), exitCode: EX_CANTCREAT)
    }
}
