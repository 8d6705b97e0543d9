import Foundation
import RPC
import RPCTestKit
import Testing

/// How a service takes and releases its socket.
@Suite struct ServiceSocketTests {
    @Test func `a socket in use is refused with the name of its process, which continues to serve`() async throws {
        try await withTemporaryDirectory { root in
            try await RunningService.with("feed", root: root) { service in
                let outcome = try await Program("feed-service").run(["--root", root])
                #expect(outcome.status == 69 && outcome.errors.split(separator: "\n").count == 1)
                let parts = ["\(root)/run/feed.sock", "process \(service.id) (feed-service)", "--socket"]
                for part in parts { #expect(outcome.errors.contains(part)) }
                _ = try await service.client.call(ProtocolMethods.ping, Empty())
            }
        }
    }

    @Test func `a stale socket of a killed process is replaced`() async throws {
        try await withTemporaryDirectory { root in
            let death = await #expect(throws: RunningService.Failure.self) {
                try await RunningService.with("feed", root: root) { $0.kill() }
            }
            #expect(death?.status == 128 + SIGKILL)
            #expect(FileManager.default.fileExists(atPath: root + "/run/feed.sock"))
            try await RunningService.with("feed", root: root) { service in
                _ = try await service.client.call(ProtocolMethods.ping, Empty())
            }
        }
    }

    @Test func `a socket path of 108 bytes is refused with the limit`() async throws {
        try await withTemporaryDirectory { root in
            let path = root + "/" + String(repeating: "s", count: 108 - root.utf8.count - 1)
            let outcome = try await Program("feed-service").run(["--root", root, "--socket", path])
            #expect(outcome.status == 69 && outcome.errors.split(separator: "\n").count == 1)
            for part in [path, "107", "--socket"] { #expect(outcome.errors.contains(part)) }
        }
    }

    @Test(arguments: Deployment.services)
    func `SIGTERM removes the socket and exits with 0, even with a connected client`(
        _ name: String
    ) async throws {
        try await withTemporaryDirectory { root in
            try await RunningService.with(name, root: root) { service in
                _ = try await service.client.call(ProtocolMethods.ping, Empty())
                try await service.stop()
                #expect(!FileManager.default.fileExists(atPath: "\(root)/run/\(name).sock"))
            }
        }
    }

    @Test func `a low limit of open files reduces the number of connections, and a line reports it`() async throws {
        try await withTemporaryDirectory { root in
            let program = try Program(path: "/bin/sh").start(
                ["-c", #"ulimit -n 128 && exec "$0" --root "$1""#, Program("feed-service").path, root], errors: nil)
            defer { program.send(SIGKILL) }
            #expect(await program.errors.wait(for: "serving on"))
            #expect(program.errors.text.contains("64 connections at most: the limit of open files is 128"))
        }
    }

    @Test func `without a root a program does not start, and names the remedy`() async throws {
        let outcome = try await Program(path: "/usr/bin/env").run([
            "-u", "HOME", "-u", "ROOT", "-u", "XDG_DATA_HOME", Program("feed-service").path,
        ])
        #expect(outcome.status == 69 && outcome.errors.contains("--root DIR"))
    }

    @Test(arguments: ["feed-service", "comments-service", "image-data-service", "gateway"])
    func `an empty root is a usage error`(program: String) async throws {
        let arguments = program == "gateway" ? ["feed", "--root", ""] : ["--root", ""]
        let outcome = try await Program(program).run(arguments)
        #expect(outcome.status == 64 && outcome.errors.contains("--root needs a directory"), "\(outcome.errors)")
    }
}
