import Glibc

/// Whom a server, or a client, has to do with, beside its own user and root.
public struct TrustedPeers: Sendable, Equatable {
    public let users: Set<UInt32>

    /// In the order in which they were given.
    public let groups: [UInt32]

    public init(users: Set<UInt32> = [], groups: [UInt32] = []) {
        self.users = users
        self.groups = groups
    }

    /// Who owns the directory of a socket: nobody else can have put a socket there, or lets others do so.
    public static func owner(ofDirectoryOf path: SocketPath) -> TrustedPeers {
        let text = path.description
        let directory = text.lastIndex(of: "/").map { text[...$0] } ?? "."
        var status = stat()
        return stat(String(directory), &status) == 0 ? TrustedPeers(users: [status.st_uid]) : TrustedPeers()
    }

    /// The group that the socket belongs to; nil when it is the owner's alone.
    public var owningGroup: UInt32? { groups.first }

    /// Whether it matters which groups a peer is in.
    var dependOnGroups: Bool { !groups.isEmpty }

    func include(_ peer: PeerCredentials) -> Bool {
        peer.isOwnerOrRoot || users.contains(peer.user)
            || groups.contains { $0 == peer.group || peer.supplementaryGroups.contains($0) }
    }
}
