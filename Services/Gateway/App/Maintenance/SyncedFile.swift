import Crypto
import Foundation
import Glibc
import ServiceKit

/// Files that are on disk when a function returns. Errors are `Failure`s.
enum SyncedFile {
    struct Failure: Error {
        let path: String

        /// An error number of the system.
        let code: Int32

        /// That of the last call.
        init(_ path: String) { (self.path, code) = (path, errno) }
    }

    /// Writes a new file.
    static func write(_ data: Data, to path: String, mode: mode_t = 0o600) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw Failure(path) }
        defer { close(descriptor) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw Failure(path) }
            rest = rest.dropFirst(max(count, 0))
        }
        guard fsync(descriptor) == 0 else { throw Failure(path) }
    }

    /// Copies a small file with its mode, together with the folders that it is in.
    static func copy(_ path: String, from source: String, to target: String) throws {
        let (from, to) = ("\(source)/\(path)", "\(target)/\(path)")
        var status = stat()
        guard stat(from, &status) == 0 else { throw Failure(from) }
        guard let data = FileManager.default.contents(atPath: from) else { throw Failure(from) }
        try FileManager.default.createDirectory(
            atPath: (to as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try write(data, to: to, mode: status.st_mode & 0o777)
    }

    /// Makes the names of all files in a folder and its subfolders durable.
    static func syncFolders(in path: String) throws {
        var folders = [path]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var isFolder: ObjCBool = false
            let sub = "\(path)/\(name)"
            if FileManager.default.fileExists(atPath: sub, isDirectory: &isFolder), isFolder.boolValue {
                folders.append(sub)
            }
        }
        for folder in folders { try syncFolder(folder) }
    }

    static func syncFolder(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path) }
        defer { close(descriptor) }
        // File systems that refuse this do not need it.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failure(path) }
    }

    /// Reads a file of any size.
    /// - Parameter progress: gets the number of bytes of each part.
    /// - Returns: its size, and its SHA-256 in lower-case hexadecimal.
    static func digest(
        of path: String, progress: (Int) throws -> Void = { _ in }
    ) throws -> (size: Int, sha256: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path) }
        defer { close(descriptor) }
        var (hash, size) = (SHA256(), 0)
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { part.deallocate() }
        while true {
            let count = read(descriptor, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(path) }
            guard count > 0 else { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: part[..<count]))
            size += count
            try progress(count)
        }
        return (size, hash.finalize().hexadecimal)
    }
}
