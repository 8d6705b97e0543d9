import Foundation
import RPCTestKit
import Testing

@testable import RPC

@Suite(.timeLimit(.minutes(1))) struct PeerCredentialsTests {
    @Test func `the same user and root are trusted, others are not`() {
        func peer(_ user: UInt32) -> PeerCredentials {
            PeerCredentials(KernelCredentials(pid: 1, uid: user, gid: 1))
        }
        #expect(peer(geteuid()).isTrusted)
        #expect(peer(0).isTrusted)
        #expect(!peer(geteuid() + 65_534).isTrusted)
    }

    @Test func `a handler knows who calls`() async throws {
        var table = EchoContract.table
        table.handle(EchoContract.trace) { _, context in
            EchoContract.Text(text: "\(context.peer?.user ?? .max) \(context.peer?.process ?? .max)")
        }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let answer = try await peer.answer(to: request("1", "echo.trace"))
            #expect(answer.result == #"{"text":"\#(geteuid()) \#(getpid())"}"#)
        }
    }

    /// A process of another user, for which the files' modes have been opened up, talks to a server of root.
    @Test(
        .enabled(
            if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/perl"), "needs root and perl"))
    func `another user gets permission_denied and a close, and nothing is begun`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            let directory = server.path.description.split(separator: "/").dropLast().joined(separator: "/")
            #expect(chmod("/" + directory, 0o755) == 0)
            #expect(chmod(server.path.description, 0o666) == 0)
            let output = try await runPerl(
                """
                use Socket; $) = "65534 65534"; $> = 65534; $> == 65534 or die;
                socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die "connect: $!";
                my $m = $ARGV[1]; syswrite($s, pack("N", length $m) . $m); local $/; print substr(<$s>, 4);
                """, server.path.description, waiting("1", "never begun"))
            let answer = try Answer(output)
            #expect(answer.id == "null")
            #expect(answer.error?.kind == .permissionDenied)
            #expect(answer.error?.message == "this socket is not for user 65534")
            #expect(answer.error?.begun == false)
            // Nothing has arrived at the gate before this.
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "begun"))
            #expect(await gate.arrival() == "begun")
        }
    }

    private func runPerl(_ arguments: String...) async throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/perl")
        process.arguments = ["-e"] + arguments
        process.standardOutput = output
        let ends = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ends.continuation.finish() }
        try process.run()
        for await _ in ends.stream {}
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
