import Foundation
import RPCTestKit
import Testing

@testable import RPC

struct ListeningSocketTests {
    // MARK: Paths

    @Test(arguments: [1, 107])
    func `a path of up to 107 bytes is accepted`(count: Int) throws {
        #expect(try SocketPath(String(repeating: "x", count: count)).description.utf8.count == count)
    }

    @Test func `a path of 107 bytes can be listened on and connected to`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/" + String(repeating: "x", count: 106 - directory.utf8.count))
            #expect(path.description.utf8.count == 107)
            try await TestServer.with(EchoContract.table, at: path) { server in
                let answer = try await RPCClient.withConnection(to: server.path, as: "test") { client in
                    try await client.call(EchoContract.echo, .init(text: "a"))
                }
                #expect(answer.text == "a")
            }
        }
    }

    @Test(arguments: [String(repeating: "x", count: 108), String(repeating: "é", count: 54)])
    func `a longer path is refused with an error that says so`(path: String) {
        let error = #expect(throws: SocketError.self) { try SocketPath(path) }
        #expect(error == .pathTooLong(path))
        #expect(error?.description.contains("has 108 bytes, the limit is 107") == true)
    }

    @Test(arguments: ["", "a\u{0}b"])
    func `an empty path, or one with U+0000, is refused`(path: String) {
        #expect(throws: SocketError.pathInvalid(path)) { try SocketPath(path) }
    }

    // MARK: Files

    @Test func `directories get mode 0700, the socket 0600, and the lock file remains`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/a/b/test.sock")
            try await TestServer.with(EchoContract.table, at: path) { server in
                let modes = try ["/a", "/a/b", "/a/b/test.sock", "/a/b/test.sock.lock"].map { try mode(directory + $0) }
                #expect(modes == [0o700, 0o700, 0o600, 0o600])
                server.stop()
                await server.ended()
            }
            #expect(!FileManager.default.fileExists(atPath: path.description))
            #expect(FileManager.default.fileExists(atPath: path.description + ".lock"))
        }
    }

    @Test func `a path can be used again and again`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            for _ in 0..<5 {
                try await TestServer.with(EchoContract.table, at: path) { server in
                    try await WirePeer.connect(to: path).expectAlive()
                }
            }
        }
    }

    /// A process that is being spawned has such a copy until `exec`.
    @Test func `an inherited copy of the lock descriptor does not block the path`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let copy = try await TestServer.with(EchoContract.table, at: path) { _ in
                let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
                    Int32.init)
                let lock = descriptors.first { descriptor in
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))
                        == path.description + ".lock"
                }
                return dup(try #require(lock))
            }
            defer { close(copy) }
            try await TestServer.with(EchoContract.table, at: path) { _ in
                try await WirePeer.connect(to: path).expectAlive()
            }
        }
    }

    @Test func `the socket file of a dead process is replaced`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            try leaveStaleSocket(at: path)
            #expect(FileManager.default.fileExists(atPath: path.description))
            try await TestServer.with(EchoContract.table, at: path) { _ in
                try await WirePeer.connect(to: path).expectAlive()
            }
        }
    }

    @Test func `a server that holds the lock is not disturbed, and named`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            let error = #expect(throws: SocketError.self) { try ListeningSocket(path: server.path) }
            #expect(error == .inUse(path: server.path.description, process: getpid()))
            #expect(error?.description.contains("process \(getpid()) (") == true)
            try await WirePeer.connect(to: server.path).expectAlive()
        }
    }

    @Test func `a server that answers without holding the lock continues, and the error names it`() async throws {
        try await WireListener.with { listener in
            let error = #expect(throws: SocketError.self) { try ListeningSocket(path: listener.path) }
            #expect(error == .inUse(path: listener.path.description, process: getpid()))
            #expect(FileManager.default.fileExists(atPath: listener.path.description))
            _ = try await listener.accept()
        }
    }

    @Test func `a lock that is held without a socket is respected`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let lock = open(path.description + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            #expect(throws: SocketError.inUse(path: path.description, process: nil)) { try ListeningSocket(path: path) }
        }
    }

    @Test func `of two servers that start at the same moment, exactly one wins`() async throws {
        try await withTemporaryDirectory { directory in
            for round in 0..<50 {
                let path = try SocketPath(directory + "/\(round).sock")
                if round % 2 == 0 { try leaveStaleSocket(at: path) }
                let sockets = await withTaskGroup(of: ListeningSocket?.self) { group in
                    for _ in 0..<4 { group.addTask { try? ListeningSocket(path: path) } }
                    return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                }
                #expect(sockets.count == 1)
                #expect(FileManager.default.fileExists(atPath: path.description))
                for socket in sockets {
                    socket.release()
                    close(socket.descriptor)
                }
            }
        }
    }

    @Test func `an existing file is refused and not removed`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            try Data("precious".utf8).write(to: URL(filePath: path.description))
            #expect(throws: SocketError.notASocket(path: path.description)) { try ListeningSocket(path: path) }
            #expect(try Data(contentsOf: URL(filePath: path.description)) == Data("precious".utf8))
            // The lock was released too.
            try FileManager.default.removeItem(atPath: path.description)
            try await TestServer.with(EchoContract.table, at: path) { _ in }
        }
    }

    @Test func `an existing directory or symbolic link is refused and not removed`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/directory")
            try FileManager.default.createDirectory(atPath: path.description, withIntermediateDirectories: false)
            #expect(throws: SocketError.notASocket(path: path.description)) { try ListeningSocket(path: path) }
            let link = try SocketPath(directory + "/link")
            try FileManager.default.createSymbolicLink(atPath: link.description, withDestinationPath: "nowhere")
            #expect(throws: SocketError.notASocket(path: link.description)) { try ListeningSocket(path: link) }
            // A symbolic link as lock file could make us write to another file.
            let locked = try SocketPath(directory + "/locked")
            try FileManager.default.createSymbolicLink(
                atPath: locked.description + ".lock", withDestinationPath: directory + "/elsewhere")
            #expect(throws: SocketError.self) { try ListeningSocket(path: locked) }
            #expect(!FileManager.default.fileExists(atPath: directory + "/elsewhere"))
        }
    }

    @Test func `a server that stops does not remove a file that replaced its socket`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            try await TestServer.with(EchoContract.table, at: path) { server in
                try FileManager.default.removeItem(atPath: path.description)
                try Data("precious".utf8).write(to: URL(filePath: path.description))
                server.stop()
                await server.ended()
            }
            #expect(FileManager.default.fileExists(atPath: path.description))
        }
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// A socket left behind by a killed process.
    private func leaveStaleSocket(at path: SocketPath) throws {
        let socket = try ListeningSocket(path: path)
        // When a process dies, its descriptors are closed, but its socket file remains.
        close(socket.descriptor)
        let kept = path.description + ".kept"
        #expect(rename(path.description, kept) == 0)
        socket.release()
        #expect(rename(kept, path.description) == 0)
    }

    // MARK: Backlog

    /// How many connections the system accepts into the backlog, at most this many.
    private static func connections(to path: SocketPath, upTo most: Int) -> Int {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        while descriptors.count < most {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            descriptors.append(descriptor)
            guard path.withAddress({ connect(descriptor, $0, $1) }) == 0 else { return descriptors.count - 1 }
        }
        return descriptors.count
    }

    /// Runs `body` while the server on this socket does not accept connections.
    private static func withBusyServer(
        on socket: ListeningSocket, at path: SocketPath, _ body: @escaping @Sendable () -> Int
    ) async throws -> Int {
        let executor = LoopExecutor.separate()
        return try await TestServer.with(EchoContract.table, at: path, on: socket, executor: executor) { _ in
            await withCheckedContinuation { continuation in
                executor.loop.execute { continuation.resume(returning: body()) }
            }
        }
    }

    /// In a process of its own, because other tests count descriptors.
    @Test func `the backlog is larger than NIO's default`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            try await withTemporaryDirectory { directory in
                let path = try SocketPath(directory + "/test.sock")
                let count = try await Self.withBusyServer(on: ListeningSocket(path: path), at: path) {
                    Self.connections(to: path, upTo: 300)
                }
                precondition(count == 300, "\(count)")
            }
        }
    }

    @Test func `a socket of a supervisor has the backlog that the supervisor gave it`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let backlog = 7
            #expect(path.withAddress { bind(descriptor, $0, $1) } == 0 && listen(descriptor, Int32(backlog)) == 0)
            let count = try await Self.withBusyServer(on: ListeningSocket(adopting: descriptor), at: path) {
                Self.connections(to: path, upTo: 300)
            }
            // The system accepts one more than the backlog.
            #expect(count == backlog + 1)
        }
    }
}
