import Glibc

/// The users and groups that a server or client trusts, in addition to its own user and root.
public struct TrustedPeers: Sendable, Equatable {
    public let users: Set<UInt32>

    /// In the given order.
    public let groups: [UInt32]

    public init(users: Set<UInt32> = [], groups: [UInt32] = []) {
        self.users = users
        self.groups = groups
    }

    /// Trusts the owner of a socket's directory: no other user can have created the socket there, unless the owner
    /// allows it.
    public static func owner(ofDirectoryOf path: SocketPath) -> TrustedPeers {
        let text = path.description
        let directory = text.lastIndex(of: "/").map { text[...$0] } ?? "."
        var status = stat()
        return stat(String(directory), &status) == 0 ? TrustedPeers(users: [status.st_uid]) : TrustedPeers()
    }

    /// The group that owns the socket file; nil if only the owner may connect.
    public var owningGroup: UInt32? { groups.first }

    /// Whether a peer's groups must be read.
    var dependOnGroups: Bool { !groups.isEmpty }

    func include(_ peer: PeerCredentials) -> Bool {
        peer.isOwnerOrRoot || users.contains(peer.user)
            || groups.contains { $0 == peer.group || peer.supplementaryGroups.contains($0) }
    }
}
