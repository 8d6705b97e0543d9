import Foundation
import RPCTestKit
import Testing

@testable import RPC

struct TrustedPeersTests {
    private static let stranger: UInt32 = 65_534
    private static let isPossible = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/perl")

    private static func peer(_ user: UInt32, group: UInt32 = 1, others: Set<UInt32> = []) -> PeerCredentials {
        var peer = PeerCredentials(KernelCredentials(pid: 1, uid: user, gid: group))
        peer.supplementaryGroups = others
        return peer
    }

    @Test func `the same user and root are always trusted, others are not`() {
        for peers in [TrustedPeers(), TrustedPeers(users: [7], groups: [8])] {
            #expect(peers.include(Self.peer(geteuid())))
            #expect(peers.include(Self.peer(0)))
            #expect(!peers.include(Self.peer(geteuid() + Self.stranger)))
        }
    }

    @Test func `listed users, and users with any listed group, are trusted`() {
        let (user, peers) = (geteuid() + 1_000, TrustedPeers(users: [geteuid() + 1_000], groups: [70, 71]))
        #expect(peers.include(Self.peer(user)))
        #expect(peers.include(Self.peer(user + 1, group: 71)))
        #expect(peers.include(Self.peer(user + 1, group: 5, others: [6, 70])))
        #expect(!peers.include(Self.peer(user + 1, group: 72, others: [6, 69])))
        #expect(!peers.include(Self.peer(70)))
    }

    // MARK: Other users' processes

    /// The modes of directory and socket are opened up, so that the server itself decides about the user.
    @Test(
        .enabled(if: isPossible, "needs root and perl"),
        arguments: [
            (TrustedPeers(), false), (TrustedPeers(users: [stranger]), true), (TrustedPeers(users: [1]), false),
            (TrustedPeers(groups: [4_001]), true), (TrustedPeers(groups: [1, 4_003]), true),
            (TrustedPeers(groups: [1]), false), (TrustedPeers(groups: [0]), false),
        ])
    func `an unlisted user gets permission_denied and is disconnected; a listed one is answered`(
        peers: TrustedPeers, isTrusted: Bool
    ) async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate), peers: peers) { server in
            let directory = (server.path.description as NSString).deletingLastPathComponent
            #expect(chmod(directory, 0o755) == 0)
            #expect(chmod(server.path.description, 0o666) == 0)
            gate.open("theirs")
            let answer = try await Answer(
                ask(server.path, waiting("1", "theirs"), as: Self.stranger, groups: [4_001, 4_002, 4_003]))
            if isTrusted {
                #expect(answer.result == #"{"text":"theirs"}"#)
            } else {
                #expect(answer.id == "null")
                #expect(answer.error?.kind == .permissionDenied)
                #expect(answer.error?.message == "this socket is not for user \(Self.stranger)")
                #expect(answer.error?.begun == false)
                // No call arrived at the gate before this one.
                let peer = try await WirePeer.connect(to: server.path)
                try await peer.send(waiting("1", "ours"))
                #expect(await gate.arrival() == "ours")
            }
        }
    }

    @Test(.enabled(if: isPossible, "needs root and perl"), arguments: [(UInt32(4_001), true), (4_002, false)])
    func `only members of the owning group can connect with the socket's mode`(
        group: UInt32, isMember: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            #expect(chmod(directory, 0o755) == 0)
            let path = try SocketPath(directory + "/run/test.sock")
            try await TestServer.with(EchoContract.table, at: path, peers: TrustedPeers(groups: [4_001])) { _ in
                let output = try await ask(path, request("1", "rpc.ping"), as: Self.stranger, groups: [group])
                #expect(output == (isMember ? #"{"jsonrpc":"2.0","id":1,"result":{}}"# : "connect: Permission denied"))
            }
        }
    }

    /// - Parameter groups: the first is the primary group.
    private func ask(
        _ path: SocketPath, _ message: String, as user: UInt32, groups: [UInt32]
    ) async throws -> String {
        // In Perl, the list of groups consists of the primary group followed by all groups.
        let outcome = try await Program(path: "/usr/bin/perl").run([
            "-e",
            """
            use Socket; $) = $ARGV[3]; $> = $ARGV[2]; $> == $ARGV[2] or die;
            socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die;
            connect($s, sockaddr_un($ARGV[0])) or do { print "connect: $!"; exit };
            my $m = $ARGV[1]; syswrite($s, pack("N", length $m) . $m); shutdown($s, 1); local $/; print substr(<$s>, 4);
            """, path.description, message, "\(user)",
            (groups.prefix(1) + groups).map { "\($0)" }.joined(separator: " "),
        ])
        #expect(outcome.errors == "")
        return outcome.output
    }

    // MARK: Files

    @Test func `with a group the directories are 0750, the socket 0660, and both are the group's`() async throws {
        let group = geteuid() == 0 ? 4_001 : getegid()
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/a/b/test.sock")
            try await TestServer.with(EchoContract.table, at: path, peers: TrustedPeers(groups: [group, 1])) { _ in
                for (file, mode) in [("/a", mode_t(0o750)), ("/a/b", 0o750), ("/a/b/test.sock", 0o660)] {
                    var status = stat()
                    #expect(lstat(directory + file, &status) == 0)
                    #expect(status.st_mode & 0o777 == mode && status.st_gid == group && status.st_uid == geteuid())
                }
                var status = stat()
                #expect(lstat(path.description + ".lock", &status) == 0 && status.st_mode & 0o777 == 0o600)
            }
        }
    }

    @Test func `the mode and group of an existing directory do not change`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let peers = TrustedPeers(groups: [geteuid() == 0 ? 4_001 : getegid()])
            try await TestServer.with(EchoContract.table, at: path, peers: peers) { _ in
                var status = stat()
                #expect(lstat(directory, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o700 && status.st_gid == getegid())
            }
        }
    }
}
