import Glibc

/// The place in the file system that a socket of our own takes, and that nobody else can take while it is held.
///
/// A lock file beside the socket (`PATH.lock`, never deleted) decides between processes that start at the same moment; a
/// socket file that is there already is removed only when nobody answers on it. Directories are made with mode 0700, the
/// socket has mode 0600; with a group that may connect these are 0750 and 0660, owned by the group.
struct SocketFile: Sendable {
    private let path: SocketPath
    private let lock: Int32
    private let inode: UInt64

    /// How many connections may wait to be accepted.
    private static let backlog: Int32 = 1_024

    /// Takes the path and listens there.
    /// - Returns: the file, and the descriptor of the listening socket.
    /// - Throws: `SocketError`, without having disturbed whoever uses the path.
    static func listen(at path: SocketPath, for group: UInt32?) throws(SocketError) -> (SocketFile, Int32) {
        try makeDirectory(of: path, for: group)
        let lock = try takeLock(path)
        let descriptor: Int32
        do throws(SocketError) {
            try removeStale(path)
            descriptor = try listen(path, for: group)
        } catch {
            giveFree(lock)
            throw error
        }
        var status = stat()
        let inode = lstat(path.description, &status) == 0 ? UInt64(status.st_ino) : 0
        return (SocketFile(path: path, lock: lock, inode: inode), descriptor)
    }

    /// Takes the socket file away, if it is still ours. The lock is held until `release`.
    func unlink() {
        var status = stat()
        guard lstat(path.description, &status) == 0, UInt64(status.st_ino) == inode else { return }
        Glibc.unlink(path.description)
    }

    /// Gives the path free for others.
    func release() {
        unlink()
        Self.giveFree(lock)
    }

    /// Closing alone would not do: a process that is being started beside us has a copy until it runs its program.
    private static func giveFree(_ lock: Int32) {
        flock(lock, LOCK_UN)
        close(lock)
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
                throw .system(operation: "make the directory", path: made, errno: errno)
            }
        }
    }

    /// Lets the group in, where there is one. Until then nobody but the owner was.
    private static func admit(_ group: UInt32?, to path: String, mode: mode_t) throws(SocketError) {
        guard let group else { return }
        // The owner stays as it is.
        guard lchown(path, .max, group) == 0, chmod(path, mode) == 0 else {
            throw .system(operation: "open to group \(group)", path: path, errno: errno)
        }
    }

    private static func takeLock(_ path: SocketPath) throws(SocketError) -> Int32 {
        let lockPath = path.description + ".lock"
        let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .system(operation: "open the lock file", path: lockPath, errno: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(lock) }
            throw .inUse(path: path.description, process: owner(lock))
        }
        let text = "\(getpid())\n"
        guard ftruncate(lock, 0) == 0, pwrite(lock, text, text.utf8.count, 0) == text.utf8.count else {
            defer { close(lock) }
            throw .system(operation: "write the lock file", path: lockPath, errno: errno)
        }
        return lock
    }

    private static func owner(_ lock: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &bytes, bytes.count, 0)
        return count <= 0 ? nil : Int32(String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
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
            // EAGAIN: somebody listens and is busy. Anything else: we cannot know, so we leave it alone.
            throw errno == EAGAIN
                ? .inUse(path: path.description, process: nil)
                : .system(operation: "find out whether somebody answers on", path: path.description, errno: errno)
        }
        guard Glibc.unlink(path.description) == 0 || errno == ENOENT else {
            throw .system(operation: "remove the stale socket", path: path.description, errno: errno)
        }
    }

    private static func listen(_ path: SocketPath, for group: UInt32?) throws(SocketError) -> Int32 {
        let descriptor = try makeSocket(path)
        // The mode is set before the file comes into being, so that there is no moment at which others may connect.
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
            throw .system(operation: "make a socket for", path: path.description, errno: errno)
        }
        return descriptor
    }
}
