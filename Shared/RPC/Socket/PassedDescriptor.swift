import Glibc

/// A descriptor of unknown type that another process has opened for this one.
struct PassedDescriptor {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The address that a socket is bound to.
    struct Address {
        let path: SocketPath?
        let description: String
    }

    /// Verifies that this is a listening Unix stream socket, and sets its flags like those of our own sockets.
    /// - Returns: the address that it is bound to.
    func prepare() throws(SocketError) -> Address {
        if let what = whatElseItIs { throw .notAListener(descriptor: descriptor, what: what) }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else {
            throw .system(operation: "set the flags of", path: "descriptor \(descriptor)", errno: errno)
        }
        return try address()
    }

    /// Why it cannot be used; nil if it can.
    private var whatElseItIs: String? {
        guard fcntl(descriptor, F_GETFD) >= 0 else { return "not open" }
        guard let family = option(SO_DOMAIN), let type = option(SO_TYPE) else { return "no socket" }
        guard family == AF_UNIX else {
            return switch family {
            case AF_INET: "an IPv4 socket"
            case AF_INET6: "an IPv6 socket"
            default: "a socket of family \(family)"
            }
        }
        guard type == Int32(SOCK_STREAM.rawValue) else {
            return type == Int32(SOCK_DGRAM.rawValue) ? "a Unix datagram socket" : "a Unix socket of type \(type)"
        }
        return option(SO_ACCEPTCONN) == 1 ? nil : "a Unix stream socket that does not listen"
    }

    private func option(_ name: Int32) -> Int32? {
        var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    private func address() throws(SocketError) -> Address {
        var (address, length) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else {
            throw .system(operation: "read the address of", path: "descriptor \(descriptor)", errno: errno)
        }
        let familyLength = MemoryLayout<sa_family_t>.size
        let name = withUnsafeBytes(of: address.sun_path) { $0.prefix(max(0, Int(length) - familyLength)).map(\.self) }
        return Self.address(name)
    }

    /// - Parameter name: the address from the kernel, with or without a final zero.
    static func address(_ name: [UInt8]) -> Address {
        guard let first = name.first else { return Address(path: nil, description: "a socket without a name") }
        if first == 0 {
            return Address(path: nil, description: "@" + String(decoding: name.dropFirst(), as: UTF8.self))
        }
        let bytes = name.prefix { $0 != 0 }
        let path: SocketPath?
        do throws(SocketError) {
            // File names need not be valid UTF-8.
            path = try String(validating: bytes, as: UTF8.self).map { text throws(SocketError) in try SocketPath(text) }
        } catch {
            // The path is one byte longer than our clients accept. The kernel accepts it, so the socket works for
            // others.
            path = nil
        }
        return Address(path: path, description: String(decoding: bytes, as: UTF8.self))
    }
}
