import Glibc
import NIOCore

/// The path of a Unix socket, known to fit into a socket address.
public struct SocketPath: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// - Throws: `SocketError.pathTooLong` for more than `Limits.socketPathBytes` bytes, `.pathInvalid` when it is empty.
    public init(_ path: String) throws(SocketError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .pathInvalid(path) }
        guard path.utf8.count <= Limits.socketPathBytes else { throw .pathTooLong(path) }
        description = path
    }

    /// For NIO, whose own initialiser accepts at most 103 bytes.
    var address: SocketAddress { SocketAddress(socketAddress) }

    private var socketAddress: sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: description.utf8) }
        return address
    }

    /// Calls `body` with the path as a socket address.
    package func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Why a process cannot listen on a socket, with the remedy.
public enum SocketError: Error, Equatable, Sendable {
    case pathInvalid(String)
    case pathTooLong(String)
    /// Another process listens there or holds the lock; its id is known if the system reports it.
    case inUse(path: String, process: Int32?)
    case notASocket(path: String)
    /// The descriptor that a supervisor passed is not a listening Unix stream socket.
    case notAListener(descriptor: Int32, what: String)
    /// The system has ended listening on a supervisor's socket.
    case lost(String)
    /// A call of the operating system failed.
    case system(operation: String, path: String, errno: Int32)
}

extension SocketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .pathInvalid(let path):
            return "\"\(path)\" is not a valid socket path"
        case .pathTooLong(let path):
            return "the socket path \(path) has \(path.utf8.count) bytes, the limit is \(Limits.socketPathBytes): "
                + "choose a shorter directory with --root or a shorter path with --socket"
        case .inUse(let path, let process):
            let who = process.map { "process \($0)\(Self.name(of: $0))" } ?? "another process"
            return "the socket \(path) is in use by \(who): stop it first, or choose another path with --socket"
        case .notASocket(let path):
            return "\(path) exists and is not a socket: move it away, or choose another path with --socket"
        case .notAListener(let descriptor, let what):
            return "descriptor \(descriptor) is \(what): the supervisor should pass a listening Unix stream socket"
        case .lost(let socket):
            return
                "cannot accept connections on \(socket): the system has ended listening on it. Restart its supervisor's "
                + "socket and this service"
        case .system(let operation, let path, let code):
            return "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        }
    }

    private static func name(of process: Int32) -> String {
        guard let file = fopen("/proc/\(process)/comm", "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, Int32(line.count), file) != nil else { return "" }
        let name = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return " (\(name))"
    }
}
