import Foundation
import RPC
import RPCTestKit
import Testing

/// The options for limits and peers of the real programs.
struct ServiceOptionTests {
    private static let programs: [(String, [String])] =
        Deployment.services.map { ($0 + "-service", []) } + [("gateway", ["serve"])]

    @Test(arguments: programs)
    func `invalid limits and peers are usage errors`(program: String, command: [String]) async throws {
        for (arguments, part) in [
            (["--limit", "nothing=1"], "assembled_bytes_per_process"),
            (["--limit", "connections=0"], "from 1 to 1000000"),
            (["--allow-user", "no-such-name"], "there is no user no-such-name"),
            (["--allow-group", "no-such-name"], "there is no group no-such-name"),
        ] {
            let outcome = try await Program(program).run(command + ["--root", "/nowhere"] + arguments)
            #expect(outcome.status == 64 && outcome.errors.contains(part), "\(arguments): \(outcome.errors)")
        }
    }

    @Test func `limits of the command line apply, and rpc.hello reports them`() async throws {
        try await withTemporaryDirectory { root in
            let arguments = ["--limit", "frame_bytes=5000", "--limit", "connections=2"]
            try await RunningService.with("feed", root: root, arguments: arguments) { service in
                // The test's client is the first connection, this is the second.
                let peer = try await WirePeer.connect(to: SocketPath(root + "/run/feed.sock"))
                let hello = try await peer.exchange(
                    #"{"jsonrpc":"2.0","id":1,"method":"rpc.hello","params":{"protocols":[1]}}"#)
                #expect(hello?.contains(#""limits":{"frame_bytes":5000,"#) == true)
                #expect(hello?.contains(#""connections":2,"#) == true)
                let third = try await WirePeer.connect(to: SocketPath(root + "/run/feed.sock"))
                #expect(try await third.receive()?.contains("too many connections") == true)
                try await peer.send([0, 0, 0x13, 0x89])
                #expect(try await peer.receive()?.contains("5001") == true)
                _ = try await service.client.call(ProtocolMethods.ping, Empty())
            }
        }
    }

    @Test func `with a group, the group owns the socket and its directory`() async throws {
        let group = geteuid() == 0 ? 4_001 : getegid()
        try await withTemporaryDirectory { root in
            try await RunningService.with("feed", root: root, arguments: ["--allow-group", "\(group)"]) { _ in
                for (file, mode) in [("/run", mode_t(0o750)), ("/run/feed.sock", 0o660)] {
                    var status = stat()
                    #expect(lstat(root + file, &status) == 0)
                    #expect(status.st_mode & 0o777 == mode && status.st_gid == group)
                }
            }
        }
    }
}
