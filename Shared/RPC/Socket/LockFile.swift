import Glibc

/// The lock file beside a socket, `PATH.lock`: the process that holds its lock owns the socket's path. It is never
/// deleted, and stays locked until the process ends.
struct LockFile: Sendable {
    private let path: String
    private let descriptor: Int32
    private let identity: FileIdentity

    /// Bounds retries while another process keeps replacing the file.
    private static let mostAttempts = 16

    /// Opens or creates the file and locks it.
    /// - Parameter socket: the path of the socket.
    /// - Throws: `SocketError.inUse` when another process holds the lock.
    init(of socket: SocketPath) throws(SocketError) {
        let path = socket.description + ".lock"
        for _ in 0..<Self.mostAttempts {
            let descriptor = try Self.lock(path, for: socket)
            // The file was deleted between opening and locking; another process may lock its replacement.
            if let identity = FileIdentity(descriptor: descriptor), identity == FileIdentity(path: path) {
                self.path = path
                self.descriptor = descriptor
                self.identity = identity
                return
            }
            Self.unlock(descriptor)
        }
        throw .system(operation: "lock", path: path, errno: ESTALE)
    }

    /// Whether the path still refers to the locked file.
    var isInPlace: Bool { FileIdentity(path: path) == identity }

    /// Releases the path for other processes.
    func release() { Self.unlock(descriptor) }

    /// Closing is not enough: a child process that is being spawned holds a copy of the descriptor until `exec`.
    private static func unlock(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func lock(_ path: String, for socket: SocketPath) throws(SocketError) -> Int32 {
        let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .system(operation: "open the lock file", path: path, errno: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(lock) }
            throw .inUse(path: socket.description, process: owner(lock))
        }
        let text = "\(getpid())\n"
        let isWritten = ftruncate(lock, 0) == 0 && pwrite(lock, text, text.utf8.count, 0) == text.utf8.count
        // The number only helps the operator of another process that is refused. Without space for it, this process can still serve.
        guard isWritten || errno == ENOSPC || errno == EDQUOT else {
            defer { close(lock) }
            throw .system(operation: "write the lock file", path: path, errno: errno)
        }
        return lock
    }

    private static func owner(_ lock: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &bytes, bytes.count, 0)
        return count <= 0 ? nil : Int32(String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
    }
}

/// The identity of a file, unique while the file is open or bound.
struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// - Returns: nil when there is no such file. Symbolic links are not followed.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
