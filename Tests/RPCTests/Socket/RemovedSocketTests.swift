import Foundation
import NIOCore
import NIOEmbedded
import RPCTestKit
import Synchronization
import Testing

@testable import RPC

/// Sockets, lock files and directories that are removed while the server runs: protocol §6.4.
struct RemovedSocketTests {
    /// A server in `DIRECTORY/run`, and its reports about its socket.
    private struct Running {
        let directory: String
        let path: SocketPath
        let clock: ManualClock
        let changes: AsyncStream<ListeningSocket.Change>
        let stop: @Sendable () -> Void

        /// The error that it ends with, if any.
        let end: Task<Void, any Error>

        /// Lets the server look at its socket.
        func look() async { await clock.advance(by: TimeAmount(RPCServer.socketCheckInterval), once: 1) }

        /// The next change that the server sees.
        func nextChange() async -> ListeningSocket.Change? {
            await look()
            return await changes.first { _ in true }
        }

        /// Checks that a new client is answered.
        func expectFound(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let peer = try await WirePeer.connect(to: path)
            try await peer.expectAlive(sourceLocation: sourceLocation)
            try await peer.close()
        }
    }

    private static func with(_ body: (Running) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/run/test.sock")
            let socket = try ListeningSocket(path: path)
            let clock = ManualClock()
            let server = RPCServer(
                identity: ServiceIdentity(name: "test", version: "1"), methods: EchoContract.table,
                executors: LoopExecutors(.timed(by: clock)), onFault: { _ in })
            let (changes, change) = AsyncStream.makeStream(of: ListeningSocket.Change.self)
            let (stops, stop) = AsyncStream.makeStream(of: Void.self)
            let (readies, ready) = AsyncStream.makeStream(of: Void.self)
            let end = Task {
                defer { change.finish() }
                try await server.run(
                    on: socket, onReady: { ready.finish() }, onSocketChange: { change.yield($0) },
                    until: { for await _ in stops {} })
            }
            for await _ in readies {}
            defer { stop.finish() }
            try await body(
                Running(
                    directory: directory, path: path, clock: clock, changes: changes, stop: { stop.finish() }, end: end)
            )
            stop.finish()
            _ = await end.result
        }
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(arguments: [["test.sock"], ["test.sock", "test.sock.lock"], []])
    func `a socket that was removed is created again, and existing connections continue`(files: [String]) async throws {
        try await Self.with { server in
            let before = try await WirePeer.connect(to: server.path)
            try await before.expectAlive()
            // No file: the whole directory.
            for file in files { try FileManager.default.removeItem(atPath: "\(server.directory)/run/\(file)") }
            if files.isEmpty { try FileManager.default.removeItem(atPath: server.directory + "/run") }
            #expect(await server.nextChange() == .restored)
            try await server.expectFound()
            try await before.expectAlive()
            let run = server.directory + "/run"
            #expect(
                try [run, run + "/test.sock", run + "/test.sock.lock"].map(Self.mode) == [0o700, 0o600, 0o600])
            // The lock is still held: a second server is refused.
            #expect(throws: SocketError.inUse(path: server.path.description, process: getpid())) {
                try ListeningSocket(path: server.path)
            }
            // At the end, only the lock file is left.
            server.stop()
            try await server.end.value
            #expect(!FileManager.default.fileExists(atPath: server.path.description))
        }
    }

    @Test func `a lock file that was removed is created again, and the socket is retained`() async throws {
        try await Self.with { server in
            let before = FileIdentity(path: server.path.description)
            try FileManager.default.removeItem(atPath: server.path.description + ".lock")
            #expect(await server.nextChange() == .restored)
            #expect(FileIdentity(path: server.path.description) == before)
            #expect(throws: SocketError.inUse(path: server.path.description, process: getpid())) {
                try ListeningSocket(path: server.path)
            }
            try await server.expectFound()
        }
    }

    @Test func `it is restored again and again`() async throws {
        try await Self.with { server in
            for _ in 0..<2 {
                try FileManager.default.removeItem(atPath: server.path.description)
                #expect(await server.nextChange() == .restored)
                try await server.expectFound()
            }
        }
    }

    @Test func `an existing socket that does not listen is created again`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let socket = try ListeningSocket(path: path)
            close(socket.descriptor)
            #expect(try socket.restore(isListening: true) == nil)
            let (change, descriptor) = try #require(try socket.restore(isListening: false))
            #expect(change == .restored && descriptor == socket.descriptor)
            let probe = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(path.withAddress { connect(probe, $0, $1) } == 0)
            close(probe)
            socket.release()
            close(socket.descriptor)
        }
    }

    @Test func `a socket of a supervisor that does not listen is an error`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let own = try ListeningSocket(path: path)
            let adopted = try ListeningSocket(adopting: dup(own.descriptor))
            #expect(try adopted.restore(isListening: true) == nil)
            #expect(throws: SocketError.lost(path.description)) { try adopted.restore(isListening: false) }
            close(adopted.descriptor)
            own.release()
            close(own.descriptor)
        }
    }

    @Test func `a listener knows whether the system has closed its channel`() async throws {
        let channel = EmbeddedChannel()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/unused")).get()
        let listener = Listener(channel)
        #expect(listener.isListening)
        try await channel.close().get()
        #expect(!listener.isListening)
        // Closing on purpose does not count as a loss.
        listener.close()
        #expect(listener.isListening)
    }

    @Test func `a file in its place is not removed and is reported once, until it is removed`() async throws {
        try await Self.with { server in
            try FileManager.default.removeItem(atPath: server.path.description)
            try Data("precious".utf8).write(to: URL(filePath: server.path.description))
            #expect(await server.nextChange() == .lost(.notASocket(path: server.path.description)))
            #expect(try Data(contentsOf: URL(filePath: server.path.description)) == Data("precious".utf8))
            await server.look()
            try FileManager.default.removeItem(atPath: server.path.description)
            #expect(await server.nextChange() == .restored)
            try await server.expectFound()
        }
    }

    @Test func `a process that listens in its place without the lock is not disturbed`() async throws {
        try await Self.with { server in
            try await WireListener.with { other in
                #expect(rename(other.path.description, server.path.description) == 0)
                #expect(await server.nextChange() == .lost(.inUse(path: server.path.description, process: getpid())))
                #expect(rename(server.path.description, other.path.description) == 0)
            }
            #expect(await server.nextChange() == .restored)
            try await server.expectFound()
        }
    }

    @Test func `a stale socket in its place is replaced`() async throws {
        try await Self.with { server in
            let dead = try ListeningSocket(path: SocketPath(server.directory + "/dead.sock"))
            close(dead.descriptor)
            #expect(rename(server.directory + "/dead.sock", server.path.description) == 0)
            #expect(await server.nextChange() == .restored)
            try await server.expectFound()
        }
    }

    @Test func `when another process has taken the path with its lock, the server ends and names it`() async throws {
        try await Self.with { server in
            try FileManager.default.removeItem(atPath: server.directory + "/run")
            let successor = try ListeningSocket(path: server.path)
            await server.look()
            await #expect(throws: SocketError.inUse(path: server.path.description, process: getpid())) {
                try await server.end.value
            }
            #expect(FileManager.default.fileExists(atPath: server.path.description))
            successor.release()
            close(successor.descriptor)
        }
    }

    @Test func `a supervisor's socket is not changed`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let own = try ListeningSocket(path: path)
            let adopted = try ListeningSocket(adopting: dup(own.descriptor))
            try FileManager.default.removeItem(atPath: path.description)
            #expect(try adopted.restore() == nil)
            #expect(!FileManager.default.fileExists(atPath: path.description))
            close(adopted.descriptor)
            own.release()
            close(own.descriptor)
        }
    }

    @Test func `a server that stops does not create its socket again`() async throws {
        try await withTemporaryDirectory { directory in
            let socket = try ListeningSocket(path: SocketPath(directory + "/test.sock"))
            socket.unlink()
            #expect(try socket.restore() == nil)
            #expect(!FileManager.default.fileExists(atPath: directory + "/test.sock"))
            socket.release()
            close(socket.descriptor)
        }
    }

    @Test func `of servers that start while the directory is removed over and over, one has the path`() async throws {
        try await withTemporaryDirectory { directory in
            for round in 0..<20 {
                let path = try SocketPath(directory + "/\(round)/test.sock")
                let sockets = await withTaskGroup(of: ListeningSocket?.self) { group in
                    for _ in 0..<4 { group.addTask { try? ListeningSocket(path: path) } }
                    group.addTask {
                        unlink(path.description + ".lock")
                        return nil
                    }
                    return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                }
                #expect(sockets.count == 1)
                for socket in sockets {
                    socket.release()
                    close(socket.descriptor)
                }
            }
        }
    }
}
