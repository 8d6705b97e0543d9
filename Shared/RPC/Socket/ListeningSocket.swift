import Glibc

/// A Unix socket that is bound and listening, and that nobody else can take while it is held.
///
/// A lock file beside the socket (`PATH.lock`, never deleted) decides between processes that start at the same moment; a
/// socket file that is there already is removed only when nobody answers on it. Directories are made with mode 0700, the
/// socket has mode 0600.
public final class ListeningSocket: Sendable {
    public let path: SocketPath
    let descriptor: Int32
    private let lock: Int32
    private let inode: UInt64

    /// How many connections may wait to be accepted.
    private static let backlog: Int32 = 1_024

    /// - Throws: `SocketError`, without having disturbed whoever uses the path.
    public init(path: SocketPath) throws(SocketError) {
        self.path = path
        try Self.makeDirectory(of: path)
        lock = try Self.takeLock(path)
        do throws(SocketError) {
            try Self.removeStale(path)
            descriptor = try Self.listen(path)
        } catch {
            close(lock)
            throw error
        }
        var status = stat()
        inode = lstat(path.description, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    /// Takes the socket file away, if it is still ours, so that new clients find nobody. The lock is held until the
    /// process ends.
    func unlink() {
        var status = stat()
        guard lstat(path.description, &status) == 0, UInt64(status.st_ino) == inode else { return }
        Glibc.unlink(path.description)
    }

    /// Gives the path free for others. The descriptor belongs to the server that has run on this socket.
    package func release() {
        unlink()
        close(lock)
    }

    private static func makeDirectory(of path: SocketPath) throws(SocketError) {
        guard let slash = path.description.lastIndex(of: "/"), slash != path.description.startIndex else { return }
        let directory = String(path.description[..<slash])
        var made = directory.hasPrefix("/") ? "" : "."
        for component in directory.split(separator: "/") {
            made += "/" + component
            guard mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
                throw .system(operation: "make the directory", path: made, errno: errno)
            }
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

    private static func listen(_ path: SocketPath) throws(SocketError) -> Int32 {
        let descriptor = try makeSocket(path)
        // The mode is set before the file comes into being, so that there is no moment at which others may connect.
        fchmod(descriptor, 0o600)
        guard path.withAddress({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            defer { close(descriptor) }
            throw .system(operation: "listen on", path: path.description, errno: errno)
        }
        chmod(path.description, 0o600)
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
