import Glibc
import NIOCore

/// Who is at the other end of a Unix socket, as the kernel knows it.
public struct PeerCredentials: Sendable, Equatable {
    public let process: Int32
    public let user: UInt32
    public let group: UInt32

    /// The same user as ours, or root: the peers that are trusted.
    var isTrusted: Bool { user == geteuid() || user == 0 }

    init(_ credentials: KernelCredentials) {
        process = credentials.pid
        user = credentials.uid
        group = credentials.gid
    }

    init?(ofDescriptor descriptor: Int32) {
        var credentials = KernelCredentials()
        var length = socklen_t(MemoryLayout<KernelCredentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        self.init(credentials)
    }
}

/// `struct ucred` of the system's headers, which show it to C programs only (`_GNU_SOURCE`).
struct KernelCredentials {
    var pid: Int32 = 0
    var uid: UInt32 = 0
    var gid: UInt32 = 0
}

extension Channel {
    /// The peer of this connection; nil when the system does not tell.
    var peerCredentials: EventLoopFuture<PeerCredentials?> {
        guard let provider = self as? any SocketOptionProvider else { return eventLoop.makeSucceededFuture(nil) }
        return
            provider
            .unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
            .map { (credentials: KernelCredentials) in PeerCredentials(credentials) }
            .recover { _ in nil }
    }
}
