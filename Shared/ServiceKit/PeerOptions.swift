import ArgumentParser
import Glibc
import RPC

/// The options that name further peers that may connect. Processes of the same user and of root always may.
public struct PeerOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("allow-user"),
        help: ArgumentHelp(
            "Allow processes of this user to connect. Repeatable.",
            discussion: """
                Changes no file mode: use it with a socket that a supervisor passes, or with --allow-group.
                """,
            valueName: "name|uid"))
    var users: [String] = []

    @Option(
        name: .customLong("allow-group"),
        help: ArgumentHelp(
            "Allow members of this group to connect. Repeatable.",
            discussion: """
                The first group owns the socket (0660) and the directories created for it (0750). Existing directories \
                do not change.
                """,
            valueName: "name|gid"))
    var groups: [String] = []

    public init() {}

    public func validate() throws { _ = try trusted() }

    /// - Throws: `ValidationError` for an unknown user or group.
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

    /// The id of a known name, or the given number, which the system need not know. `UInt32.max` means "no user" in system
    /// calls, so it is refused.
    private static func number(_ text: String, _ known: UInt32?, orRefuse reason: String) throws -> UInt32 {
        guard let number = known ?? UInt32(text), number != .max else { throw ValidationError(reason) }
        return number
    }
}
