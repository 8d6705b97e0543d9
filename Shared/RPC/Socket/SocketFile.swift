import Glibc

/// The path of our own socket, locked while it is held.
///
/// A lock file beside the socket (`PATH.lock`, never deleted) decides between processes that start at the same moment.
/// An existing socket file is removed only if no process accepts connections on it. Directories are created with mode
/// 0700 and the socket with 0600; if a group may connect, 0750 and 0660, owned by the group.
struct SocketFile: Sendable {
    private let path: SocketPath
    private let lock: LockFile
    private let identity: FileIdentity?

    /// The maximum number of connections that wait to be accepted.
    private static let backlog: Int32 = 1_024

    /// Locks the path and listens there.
    /// - Returns: the file, and the descriptor of the listening socket.
    /// - Throws: `SocketError`; a process that uses the path is not affected.
    static func listen(at path: SocketPath, for group: UInt32?) throws(SocketError) -> (SocketFile, Int32) {
        try makeDirectory(of: path, for: group)
        let lock = try LockFile(of: path)
        do throws(SocketError) {
            return try listen(at: path, for: group, holding: lock)
        } catch {
            lock.release()
            throw error
        }
    }

    private static func listen(
        at path: SocketPath, for group: UInt32?, holding lock: LockFile
    ) throws(SocketError) -> (SocketFile, Int32) {
        try removeStale(path)
        let descriptor = try listen(path, for: group)
        // This identifies the file: while the socket is bound, its inode is not reused.
        let identity = FileIdentity(path: path.description)
        return (SocketFile(path: path, lock: lock, identity: identity), descriptor)
    }

    /// Whether clients of the path find this socket, and no other process can take the lock.
    var isInPlace: Bool { isOurs && lock.isInPlace }

    private var isOurs: Bool { identity != nil && FileIdentity(path: path.description) == identity }

    /// Why a socket whose file was removed or replaced cannot be created again.
    enum Unreplaced: Error {
        /// Another process holds the lock and so owns the path.
        case superseded(SocketError)
        /// The file at the path must not be removed, or the system does not allow creating files.
        case hindered(SocketError)
    }

    /// Creates what is missing: the directory, the lock file, the socket. An intact socket is retained.
    /// - Parameter isListening: false when the socket does not accept connections although its file is intact.
    /// - Returns: the new file, and the descriptor to listen on; no descriptor when the socket was retained.
    func replaced(for group: UInt32?, isListening: Bool) throws(Unreplaced) -> (SocketFile, Int32?) {
        var newLock: LockFile?
        do throws(SocketError) {
            try Self.makeDirectory(of: path, for: group)
            if !lock.isInPlace { newLock = try LockFile(of: path) }
        } catch {
            // While our socket is at the path, another starting process is about to find it and stop.
            if case .inUse = error, !isOurs { throw .superseded(error) }
            throw .hindered(error)
        }
        do throws(SocketError) {
            let lock = newLock ?? lock
            let replacement: (SocketFile, Int32?) =
                isOurs && isListening
                ? (SocketFile(path: path, lock: lock, identity: identity), nil)
                : try Self.listen(at: path, for: group, holding: lock)
            if newLock != nil { self.lock.release() }
            return replacement
        } catch {
            newLock?.release()
            throw .hindered(error)
        }
    }

    /// Removes the socket file if it is still ours. The lock is held until `release`.
    func unlink() {
        if isOurs { Glibc.unlink(path.description) }
    }

    /// Releases the path for other processes.
    func release() {
        unlink()
        lock.release()
    }

    private static func makeDirectory(of path: SocketPath, for group: UInt32?) throws(SocketError) {
        guard let slash = path.description.lastIndex(of: "/"), slash != path.description.startIndex else { return }
        let directory = String(path.description[..<slash])
        var made = directory.hasPrefix("/") ? "" : "."
        for component in directory.split(separator: "/") {
            made += "/" + component
            if mkdir(made, 0o700) == 0 {
                try admit(group, to: made, mode: 0o750)
            } else if ![EEXIST, EISDIR, EROFS].contains(errno) {
                throw .system(operation: "create the directory", path: made, errno: errno)
            }
        }
    }

    /// Grants access to the group, if any. Until then only the owner has access.
    private static func admit(_ group: UInt32?, to path: String, mode: mode_t) throws(SocketError) {
        guard let group else { return }
        // The owner is unchanged.
        guard lchown(path, .max, group) == 0, chmod(path, mode) == 0 else {
            throw .system(operation: "open to group \(group)", path: path, errno: errno)
        }
    }

    private static func removeStale(_ path: SocketPath) throws(SocketError) {
        var status = stat()
        guard lstat(path.description, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path.description) }
        let probe = try makeSocket(path)
        defer { close(probe) }
        if path.withAddress({ connect(probe, $0, $1) }) == 0 {
            throw .inUse(path: path.description, process: PeerCredentials(ofDescriptor: probe)?.process)
        }
        guard errno == ECONNREFUSED else {
            // EAGAIN: the backlog of a listening process is full. After any other error the owner is unknown, so the
            // file is not removed.
            throw errno == EAGAIN
                ? .inUse(path: path.description, process: nil)
                : .system(operation: "check whether a process listens on", path: path.description, errno: errno)
        }
        guard Glibc.unlink(path.description) == 0 || errno == ENOENT else {
            throw .system(operation: "remove the stale socket", path: path.description, errno: errno)
        }
    }

    private static func listen(_ path: SocketPath, for group: UInt32?) throws(SocketError) -> Int32 {
        let descriptor = try makeSocket(path)
        // The mode is set before the file exists, so that other users can never connect.
        fchmod(descriptor, 0o600)
        guard path.withAddress({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            defer { close(descriptor) }
            throw .system(operation: "listen on", path: path.description, errno: errno)
        }
        chmod(path.description, 0o600)
        do throws(SocketError) {
            try admit(group, to: path.description, mode: 0o660)
        } catch {
            Glibc.unlink(path.description)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func makeSocket(_ path: SocketPath) throws(SocketError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else {
            throw .system(operation: "create a socket for", path: path.description, errno: errno)
        }
        return descriptor
    }
}
