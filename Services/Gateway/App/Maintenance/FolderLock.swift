import Foundation
import Glibc

/// The lock of a folder, as `deploy/up` takes that of a root. It ends with this value.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Returns: nil if another process has the lock.
    init?(_ path: String) throws(SyncedFile.Failure) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SyncedFile.Failure(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
