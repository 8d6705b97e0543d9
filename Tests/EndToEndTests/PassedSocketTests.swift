import Foundation
import RPC
import RPCTestKit
import Testing

/// Services whose socket a supervisor opened.
struct PassedSocketTests {
    private static let activator = "/usr/bin/systemd-socket-activate"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: activator), "needs systemd-socket-activate"))
    func `systemd-socket-activate starts a service on the first connection, which is served`() async throws {
        try await withTemporaryDirectory { root in
            let path = root + "/ours.sock"
            let program = try Program(path: Self.activator).start(
                ["-l", path, Program("feed-service").path, "--root", root], errors: nil)
            defer { program.send(SIGKILL) }
            #expect(await program.errors.wait(for: "Listening on \(path)"))
            try await Self.expectAlive(at: path)
            #expect(await program.errors.wait(for: "serving on \(path)"))
            program.send(SIGTERM)
            #expect(await program.ended() == 0)
            #expect(try Self.files(root) == ["data", "ours.sock", "stores"])
        }
    }

    @Test(.enabled(if: SocketSupervisor.isThere, "needs perl"), arguments: Deployment.services)
    func `every service serves on the passed socket, and does not remove it`(name: String) async throws {
        try await withTemporaryDirectory { root in
            let path = root + "/ours.sock"
            try await Self.with(name + "-service", root, [.listener(path)]) { program in
                #expect(await program.errors.wait(for: "serving on \(path)"))
                try await Self.expectAlive(at: path)
            }
            #expect(try Self.files(root) == ["data", "ours.sock", "stores"])
        }
    }

    @Test(.enabled(if: SocketSupervisor.isThere, "needs perl"))
    func `the gateway uses the only passed socket, whatever its name`() async throws {
        try await withTemporaryDirectory { root in
            let path = root + "/ours.sock"
            let program = try SocketSupervisor.start(
                "gateway", ["serve", "--root", root], passing: [.listener(path)], names: "x")
            defer { program.send(SIGKILL) }
            #expect(await program.errors.wait(for: "serving on \(path)"))
            try await Self.expectAlive(at: path)
            program.send(SIGTERM)
            #expect(await program.ended() == 0)
        }
    }

    @Test(.enabled(if: SocketSupervisor.isThere, "needs perl"))
    func `of several sockets a service uses the one with its name`() async throws {
        try await withTemporaryDirectory { root in
            let sockets: [SocketSupervisor.Passed] = [.nothing, .listener(root + "/x"), .listener(root + "/ours")]
            try await Self.with("feed-service", root, sockets, names: "files:x:feed") { program in
                #expect(await program.errors.wait(for: "serving on \(root)/ours"))
                try await Self.expectAlive(at: root + "/ours")
            }
        }
    }

    @Test(.enabled(if: SocketSupervisor.isThere, "needs perl"))
    func `a service can serve on an abstract socket`() async throws {
        try await withTemporaryDirectory { root in
            let name = "image-feed-\(UUID())"
            try await Self.with("feed-service", root, [.abstractListener(name)]) { program in
                #expect(await program.errors.wait(for: "serving on @\(name)\n"))
                let answer = try await Program(path: "/usr/bin/perl").run([
                    "-e",
                    #"""
                    use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die;
                    connect($s, pack("S a*", AF_UNIX, "\0$ARGV[0]")) or die "connect: $!";
                    my $m = '{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}'; syswrite($s, pack("N", length $m) . $m);
                    shutdown($s, 1); local $/; print substr(<$s>, 4);
                    """#, name,
                ])
                #expect(answer.output == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
            }
        }
    }

    @Test(
        .enabled(if: SocketSupervisor.isThere, "needs perl"),
        arguments: [
            ([.nothing], nil, "descriptor 3 is no socket"),
            ([.datagram("/d")], nil, "descriptor 3 is a Unix datagram socket"),
            ([.listener("/a"), .listener("/b")], "a:b", "exactly one must be named feed"),
            ([.listener("/a"), .listener("/b")], nil, "2 sockets were passed"),
            ([.listener("/a"), .nothing], "a:feed", "descriptor 4 is no socket"),
        ] as [([SocketSupervisor.Passed], String?, String)])
    func `an unusable passed socket is one line and exit 69`(
        sockets: [SocketSupervisor.Passed], names: String?, reason: String
    ) async throws {
        try await withTemporaryDirectory { root in
            let program = try SocketSupervisor.start(
                "feed-service", ["--root", root], passing: sockets.map { $0.under(root) }, names: names)
            #expect(await program.ended() == 69)
            let log = await program.errors.whole()
            #expect(log.contains(reason) && log.split(separator: "\n").count == 1, "\(log)")
        }
    }

    @Test(
        .enabled(if: SocketSupervisor.isThere, "needs perl"),
        arguments: [([.listener("/g"), .tcpListener], "gateway:http"), ([.tcpListener], "http")]
            as [([SocketSupervisor.Passed], String)])
    func `the gateway takes its HTTP port by name, with or without its own socket`(
        sockets: [SocketSupervisor.Passed], names: String
    ) async throws {
        try await withTemporaryDirectory { root in
            let program = try SocketSupervisor.start(
                "gateway", ["serve", "--root", root, "--http", "127.0.0.1:1"],
                passing: sockets.map { $0.under(root) }, names: names)
            defer { program.send(SIGKILL) }
            #expect(
                await program.errors.wait(for: "serving on \(root)/\(sockets.count > 1 ? "g" : "run/gateway.sock") and")
            )
            let url = try String(contentsOfFile: root + "/run/gateway.url", encoding: .utf8)
            #expect(program.errors.text.contains(url.trimmingCharacters(in: .newlines)) && !url.hasSuffix(":1\n"))
            let answer = try await Program(path: "/usr/bin/curl").run(["-sS", url.dropLast() + "/healthz"])
            #expect(answer.output == "alive\n", "\(answer.errors)")
        }
    }

    @Test(.enabled(if: SocketSupervisor.isThere, "needs perl"))
    func `a passed HTTP port that is none is one line and exit 69`() async throws {
        try await withTemporaryDirectory { root in
            let program = try SocketSupervisor.start(
                "gateway", ["serve", "--root", root],
                passing: [SocketSupervisor.Passed.listener("/g").under(root), .nothing],
                names: "gateway:http")
            #expect(await program.ended() == 69)
            let log = await program.errors.whole()
            #expect(log.contains("descriptor 4, which was passed, is no listening TCP socket"), "\(log)")
            #expect(log.split(separator: "\n").count == 1, "\(log)")
        }
    }

    @Test func `sockets passed to another process are ignored`() async throws {
        try await withTemporaryDirectory { root in
            let program = try Program("feed-service").start(
                ["--root", root], environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"], errors: nil)
            defer { program.send(SIGKILL) }
            #expect(await program.errors.wait(for: "serving on \(root)/run/feed.sock"))
            program.send(SIGTERM)
            #expect(await program.ended() == 0)
        }
    }

    // MARK: Helpers

    /// Runs a service with passed sockets and stops it with SIGTERM.
    private static func with(
        _ program: String, _ root: String, _ sockets: [SocketSupervisor.Passed], names: String? = nil,
        _ body: (RunningProgram) async throws -> Void
    ) async throws {
        let program = try SocketSupervisor.start(program, ["--root", root], passing: sockets, names: names)
        defer { program.send(SIGKILL) }
        try await body(program)
        program.send(SIGTERM)
        #expect(await program.ended() == 0)
    }

    private static func expectAlive(at path: String) async throws {
        try await RPCClient.withConnection(to: SocketPath(path), as: "test") { client in
            _ = try await client.call(ProtocolMethods.ping, Empty())
        }
    }

    private static func files(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
}

extension SocketSupervisor.Passed {
    /// The socket with its path in a directory.
    fileprivate func under(_ directory: String) -> Self {
        switch self {
        case .listener(let path): .listener(directory + path)
        case .datagram(let path): .datagram(directory + path)
        case .abstractListener, .tcpListener, .nothing: self
        }
    }
}
