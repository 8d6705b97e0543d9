import Glibc
import NIOCore

/// The process at the other end of a Unix socket, as the kernel reports it.
public struct PeerCredentials: Sendable, Equatable {
    public let process: Int32
    public let user: UInt32
    public let group: UInt32

    /// The peer's supplementary groups; empty unless they were requested.
    var supplementaryGroups: Set<UInt32> = []

    /// Whether the peer runs as the same user as this process, or as root.
    var isOwnerOrRoot: Bool { user == geteuid() || user == 0 }

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

/// `struct ucred` of the system's headers, which declare it for C only (`_GNU_SOURCE`).
struct KernelCredentials {
    var pid: Int32 = 0
    var uid: UInt32 = 0
    var gid: UInt32 = 0
}

/// The kernel's answer to `SO_PEERGROUPS`. A peer in more groups than fit counts as being in none; such users must be
/// listed by name.
private typealias KernelGroups = InlineArray<1_024, UInt32>

extension Channel {
    /// The peer of this connection; nil when the system does not report it.
    var peerCredentials: EventLoopFuture<PeerCredentials?> { peerCredentials(includingGroups: false) }

    func peerCredentials(includingGroups: Bool) -> EventLoopFuture<PeerCredentials?> {
        guard let provider = self as? any SocketOptionProvider else { return eventLoop.makeSucceededFuture(nil) }
        return
            provider
            .unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
            .flatMap { (credentials: KernelCredentials) in
                let peer = PeerCredentials(credentials)
                guard includingGroups else { return provider.eventLoop.makeSucceededFuture(peer) }
                return provider.supplementaryGroups.map { groups in
                    var peer = peer
                    peer.supplementaryGroups = groups
                    return peer
                }
            }
            .recover { _ in nil }
    }
}

extension SocketOptionProvider {
    fileprivate var supplementaryGroups: EventLoopFuture<Set<UInt32>> {
        unsafeGetSocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERGROUPS))
            .map { (groups: KernelGroups) in
                // The count is unknown and unused entries are zero. So root's group (0) cannot be recognised here; it
                // counts only as a peer's primary group.
                Set(groups.indices.lazy.map { groups[$0] }.filter { $0 != 0 })
            }
            .recover { _ in [] }
    }
}
