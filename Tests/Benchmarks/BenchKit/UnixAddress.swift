import Glibc

/// The address of a Unix socket, for calls of the C library.
package struct UnixAddress {
    private var address = sockaddr_un()

    /// - Parameter path: a path of at most 107 bytes.
    package init(_ path: String) {
        precondition(path.utf8.count <= 107, "\(path): too long for a socket")
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    }

    package static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// - Parameter call: `bind` or `connect`.
    package func pass<Result>(to call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Whether a server accepts connections at the address.
    package var isServed: Bool {
        let descriptor = Self.makeSocket()
        defer { close(descriptor) }
        return pass { connect(descriptor, $0, $1) } == 0
    }

    /// Waits for the server, because a measuring program may start before it.
    package func waitUntilServed() {
        while !isServed { usleep(200) }
    }
}
