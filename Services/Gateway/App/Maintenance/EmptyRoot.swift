import Foundation
import Glibc
import RPC

/// A directory that becomes the root of a deployment, as a whole or not at all.
///
/// Its files are written into a folder in it, and moved when they are complete. The last one is `run`, without which `deploy/up` uses
/// no directory that has files.
struct EmptyRoot {
    let path: String

    private var folder: String { path + "/restore.partial" }

    /// - Throws: `CommandFailure` if the directory has files.
    func check() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: path).map { "\(path)/\($0)" }
            guard names.allSatisfy({ $0 == folder }) else {
                throw CommandFailure(
                    RPCError(.alreadyExists, "\(path) has files; name an empty or a new directory with --root"))
            }
        } catch let error as CocoaError {
            let code = (error.underlying as? POSIXError)?.code.rawValue ?? EIO
            throw CommandFailure(writing: path, code)
        }
    }

    /// - Parameter write: writes all files into the folder that it gets.
    func fill(_ write: (String) async throws -> Void) async throws {
        let isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw CommandFailure(writing: path, errno) }
        do {
            guard let lock = try FolderLock(path) else {
                throw CommandFailure(RPCError(.overloaded, "another command writes into \(path); wait for its end"))
            }
            try check()
            // An interrupted command has left it.
            try? FileManager.default.removeItem(atPath: folder)
            guard mkdir(folder, 0o700) == 0 else { throw SyncedFile.Failure(folder) }
            try await write(folder)
            try move()
            withExtendedLifetime(lock) {}
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            if isNew { rmdir(path) }
            throw error
        }
    }

    private func move() throws {
        let run = "run"
        guard mkdir("\(folder)/\(run)", 0o700) == 0 else { throw SyncedFile.Failure(folder) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != run } + [run]
        for name in names {
            guard rename("\(folder)/\(name)", "\(path)/\(name)") == 0 else {
                throw SyncedFile.Failure("\(path)/\(name)")
            }
        }
        rmdir(folder)
        chmod(path, 0o700)
        try SyncedFile.syncFolder(path)
    }
}
