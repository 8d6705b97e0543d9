import Glibc

/// A dummy socket that NIO listens on and that then becomes a duplicate of the real listening socket. NIO calls
/// `listen` on the descriptor it is given, which would replace the real socket's backlog with its own.
struct PlaceholderSocket: Sendable {
    let descriptor: Int32

    init() throws(SocketError) {
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            throw .system(operation: "create a socket for", path: "a listener", errno: errno)
        }
        // Only a bound socket can listen. For an address with only a family, the system chooses an abstract name.
        var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        guard bind(descriptor, &address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0 else {
            defer { close(descriptor) }
            throw .system(operation: "bind", path: "a socket without a name", errno: errno)
        }
    }

    /// Makes the descriptor refer to `listener`, whose own descriptor is closed.
    func become(_ listener: Int32) throws(SocketError) {
        guard dup2(listener, descriptor) == descriptor, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw .system(operation: "listen on", path: "descriptor \(listener)", errno: errno)
        }
        close(listener)
    }
}
