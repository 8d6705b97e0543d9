import ArgumentParser
import Glibc
import RPC

/// Who may connect, beside the same user and root.
public struct PeerOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("allow-user"),
        help: ArgumentHelp(
            "Another user whose processes may connect; repeatable.",
            discussion: "Opens no file: for a socket of a supervisor, or beside --allow-group.", valueName: "name|uid"))
    var users: [String] = []

    @Option(
        name: .customLong("allow-group"),
        help: ArgumentHelp(
            "A group whose members may connect; repeatable.",
            discussion: """
                The first one owns the socket (0660) and the directories that are made for it (0750); those that are there \
                already stay as they are.
                """,
            valueName: "name|gid"))
    var groups: [String] = []

    public init() {}

    public func validate() throws { _ = try trusted() }

    /// - Throws: when the system knows no such user or group.
    func trusted() throws -> TrustedPeers {
        TrustedPeers(
            users: Set(
                try users.map { name in
                    try Self.number(name, getpwnam(name)?.pointee.pw_uid, orRefuse: "there is no user \(name)")
                }),
            groups: try groups.map { name in
                try Self.number(name, getgrnam(name)?.pointee.gr_gid, orRefuse: "there is no group \(name)")
            })
    }

    /// A number is one that the system need not know. The largest stands for "nobody" in system calls.
    private static func number(_ text: String, _ known: UInt32?, orRefuse reason: String) throws -> UInt32 {
        guard let number = known ?? UInt32(text), number != .max else { throw ValidationError(reason) }
        return number
    }
}
