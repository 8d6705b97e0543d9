import Foundation
import GRDB
import RPC
import RPCTestKit
import Testing

/// How a service behaves as a process: what it says when it cannot start, and how it stops.
@Suite struct ServiceStartTests {
    private static let services = ["feed-service", "comments-service", "image-data-service"]

    @Test(arguments: services)
    func `a store that is garbage ends with 70 and one line, and stays as it is`(_ service: String) async throws {
        try await withTemporaryDirectory { root in
            let store = root + "/garbage.sqlite"
            let garbage = Data((0..<8_192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try garbage.write(to: URL(fileURLWithPath: store))
            let outcome = try await Program(service).run(["--root", root, "--store", store])
            expectOneLine(outcome, status: 70, naming: store, "not an SQLite database", "restore it")
            #expect(FileManager.default.contents(atPath: store) == garbage)
        }
    }

    @Test(arguments: services)
    func `a store of a newer version ends with 70 and says so`(_ service: String) async throws {
        try await withTemporaryDirectory { root in
            let store = root + "/newer.sqlite"
            try await withRunning(service, root: root, store: store) { program in
                program.send(SIGTERM)
                #expect(await program.ended() == 0)
            }
            try await DatabaseQueue(path: store).write {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')")
            }
            let outcome = try await Program(service).run(["--root", root, "--store", store])
            expectOneLine(outcome, status: 70, naming: store, "newer version", "run that version")
        }
    }

    @Test(arguments: services)
    func `a store that belongs to somebody else ends with 70`(_ service: String) async throws {
        try await withTemporaryDirectory { root in
            let store = root + "/other.sqlite"
            try await DatabaseQueue(path: store).write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER)") }
            let outcome = try await Program(service).run(["--root", root, "--store", store])
            expectOneLine(outcome, status: 70, naming: store, "another program", "--store")
        }
    }

    @Test func `a store on a file system that is mounted read-only ends with 70`() async throws {
        try await withTemporaryDirectory { root in
            try await Tmpfs.with(at: root + "/disk", megabytes: 4) { disk in
                let store = disk + "/feed.sqlite"
                try await withRunning("feed-service", root: root, store: store) { program in
                    program.send(SIGTERM)
                    #expect(await program.ended() == 0)
                }
                try await Tmpfs.makeReadOnly(disk)
                let outcome = try await Program("feed-service").run(["--root", root, "--store", store])
                expectOneLine(outcome, status: 70, naming: store, "--store")
            }
        }
    }

    @Test func `a socket that a living process uses is refused, naming it, and goes on serving`() async throws {
        try await withTemporaryDirectory { root in
            try await withRunning("feed-service", root: root) { program in
                let outcome = try await Program("feed-service").run(["--root", root])
                expectOneLine(
                    outcome, status: 69, naming: "\(root)/run/feed.sock", "process \(program.id) (feed-service)",
                    "--socket")
                try await ping(root + "/run/feed.sock")
            }
        }
    }

    @Test func `the socket that a dead process has left is replaced`() async throws {
        try await withTemporaryDirectory { root in
            try await withRunning("feed-service", root: root) { program in
                program.send(SIGKILL)
                #expect(await program.ended() == 128 + SIGKILL)
            }
            #expect(FileManager.default.fileExists(atPath: root + "/run/feed.sock"))
            try await withRunning("feed-service", root: root) { _ in try await ping(root + "/run/feed.sock") }
        }
    }

    @Test func `a socket path of 108 bytes is refused with the limit`() async throws {
        try await withTemporaryDirectory { root in
            let path = root + "/" + String(repeating: "s", count: 108 - root.utf8.count - 1)
            let outcome = try await Program("feed-service").run(["--root", root, "--socket", path])
            expectOneLine(outcome, status: 69, naming: path, "107", "--socket")
        }
    }

    @Test func `SIGTERM takes the socket away and ends with 0; the log is one line long`() async throws {
        try await withTemporaryDirectory { root in
            try await withRunning("feed-service", root: root) { program in
                try await ping(root + "/run/feed.sock")
                program.send(SIGTERM)
                #expect(await program.ended() == 0)
                #expect(!FileManager.default.fileExists(atPath: root + "/run/feed.sock"))
                let log = program.errors.text
                #expect(log.split(separator: "\n").count == 1 && log.contains("serving on"))
            }
        }
    }

    private func expectOneLine(
        _ outcome: Program.Outcome, status: Int32, naming parts: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.status == status, sourceLocation: sourceLocation)
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
        for part in parts {
            #expect(outcome.errors.contains(part), "\(outcome.errors)", sourceLocation: sourceLocation)
        }
    }

    private func ping(_ socket: String) async throws {
        _ = try await RPCClient.withConnection(to: SocketPath(socket), as: "test") { client in
            try await client.call(ProtocolMethods.ping, Empty())
        }
    }
}
