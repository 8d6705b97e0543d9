/// Whose connections a server takes, beside those of its own user and of root.
public struct TrustedPeers: Sendable, Equatable {
    public let users: Set<UInt32>

    /// In the order in which they were given.
    public let groups: [UInt32]

    public init(users: Set<UInt32> = [], groups: [UInt32] = []) {
        self.users = users
        self.groups = groups
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
