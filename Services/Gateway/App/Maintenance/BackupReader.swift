import Foundation
import JSON
import RPC
import ServiceKit

/// Restores a backup into an empty root, completely or not at all.
struct BackupReader: Sendable {
    /// The directory of the backup.
    let path: String
    let manifest: BackupManifest

    /// Gets the number of bytes that are read, and of which file.
    let progress: @Sendable (Int, String) -> Void

    // MARK: Reading

    /// - Throws: `CommandFailure` for a directory that is no backup.
    static func manifest(of path: String) throws -> BackupManifest {
        let file = "\(path)/\(BackupManifest.name)"
        guard let text = FileManager.default.contents(atPath: file) else {
            let latest = try? BackupFolder(path: path).complete().last
            let hint = latest.map { "name one of the backups in it, such as \(path)/\($0)" }
            let remedy = hint ?? "name a directory that `gateway backup` has written"
            throw CommandFailure(
                RPCError(.notFound, "\(path) is no backup: it has no \(BackupManifest.name); \(remedy)"))
        }
        let manifest: BackupManifest
        do throws(JSONError) {
            manifest = try RawJSON(checking: text).read(as: BackupManifest.codec)
        } catch {
            throw damage("\(file): \(error)")
        }
        guard manifest.isKnown else {
            let reason = "version \(manifest.version) has written the backup in a newer format; install that version"
            throw CommandFailure(RPCError(.invalidData, "cannot restore \(path): \(reason)"))
        }
        return manifest
    }

    /// Compares all files with the manifest.
    func verify() throws {
        var read = 0
        for file in manifest.files {
            let path = "\(path)/\(file.path)"
            guard FileManager.default.fileExists(atPath: path) else { throw Self.damage("\(path) is missing") }
            let digest = try SyncedFile.digest(of: path) { count in
                try Task.checkCancellation()
                read += count
                progress(read, file.path)
            }
            guard digest == (file.size, file.sha256) else {
                throw Self.damage("\(path) does not match its SHA-256")
            }
        }
    }

    private static func damage(_ what: String) -> CommandFailure {
        CommandFailure(RPCError(.invalidData, "the backup is damaged: \(what); use another one"))
    }

    // MARK: Restoring

    /// Writes the files into the folder of an empty root. The store of each service is put in its place by its program.
    func restore(to folder: String) async throws {
        // The settings first: they may name the places of stores.
        for file in manifest.files where file.service == nil {
            try SyncedFile.copy(file.path, from: path, to: folder)
        }
        var read = manifest.size
        for file in manifest.files {
            guard let service = file.service else { continue }
            progress(read, file.path)
            try await ServiceProgram(name: service).run(
                ["--root", folder, "--restore", "\(path)/\(file.path)"], isLong: true)
            read += file.size
        }
        try SyncedFile.syncFolders(in: folder)
    }
}
