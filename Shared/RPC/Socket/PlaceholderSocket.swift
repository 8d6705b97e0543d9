import Glibc

/// A socket of no use that is given to NIO in place of a listening one, which then takes over its descriptor: NIO calls
/// `listen` on the descriptor that it is given, and so would replace the backlog of the listening socket with its own.
struct PlaceholderSocket: Sendable {
    let descriptor: Int32

    init() throws(SocketError) {
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            throw .system(operation: "make a socket for", path: "a listener", errno: errno)
        }
        // Only a bound socket can listen. With a family alone the system chooses an abstract name.
        var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        guard bind(descriptor, &address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0 else {
            defer { close(descriptor) }
            throw .system(operation: "bind", path: "a socket without a name", errno: errno)
        }
    }

    /// The descriptor stands for `listener` from here on, whose own descriptor is closed.
    func become(_ listener: Int32) throws(SocketError) {
        guard dup2(listener, descriptor) == descriptor, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw .system(operation: "listen on", path: "descriptor \(listener)", errno: errno)
        }
        close(listener)
    }
}
