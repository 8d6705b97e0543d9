import Glibc
import ServiceKit

/// A new version of a file, written beside it. There is one at a time: a second process waits until the first has used or discarded its own.
/// Errors are `CommandFailure`s, but for a link that leads nowhere.
struct Replacement: ~Copyable {
    /// The file that is replaced. A link stays, and what it leads to is replaced.
    let target: String

    /// The new version, until it is used or discarded.
    let path: String

    private let descriptor: Int32

    init(of target: String) throws {
        let resolved = try Self.resolved(target)
        let path = resolved + ".new"
        let descriptor = try Self.locked(path, for: target)
        (self.target, self.path, self.descriptor) = (resolved, path, descriptor)
    }

    deinit { close(descriptor) }

    /// Opens the file, and waits while another process has it locked.
    private static func locked(_ path: String, for target: String) throws(CommandFailure) -> Int32 {
        while true {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw CommandFailure(writing: target, errno) }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    defer { close(descriptor) }
                    throw CommandFailure(writing: target, errno)
                }
            }
            var (locked, named) = (stat(), stat())
            // The one before may have renamed or removed the file that this one has waited for.
            if fstat(descriptor, &locked) == 0, lstat(path, &named) == 0, locked.st_ino == named.st_ino,
                locked.st_dev == named.st_dev
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Writes and syncs a text that only its owner can read.
    func write(_ text: String) throws(CommandFailure) {
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            throw CommandFailure(writing: target, errno)
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw CommandFailure(writing: target, errno) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw CommandFailure(writing: target, errno) }
    }

    /// Replaces the file.
    consuming func use() throws(CommandFailure) {
        guard rename(path, target) == 0 else { throw CommandFailure(writing: target, errno) }
    }

    consuming func discard() { unlink(path) }

    private static func resolved(_ path: String) throws(FileRejection) -> String {
        guard let resolved = realpath(path, nil) else {
            var status = stat()
            guard lstat(path, &status) != 0 else {
                throw FileRejection(file: path, reason: "is a link that leads to no file")
            }
            return path
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
