import Foundation
import NIOCore
import NIOPosix
import RPC
import RPCTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct DrainTests {
    private static let greeting = request("\"hello\"", "rpc.hello", #"{"protocols":[1]}"#)
    private static let draining = #"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#

    @Test(arguments: [0, 1, 3])
    func `a server without calls under way closes its connections and ends at once`(peers: Int) async throws {
        try await TestServer.with(EchoContract.table) { server in
            var connected: [WirePeer] = []
            for number in 0..<peers {
                let peer = try await WirePeer.connect(to: server.path)
                // Some have sent a message, some have not.
                if number > 0 { try await peer.expectAlive() }
                connected.append(peer)
            }
            server.stop()
            await server.ended()
            for peer in connected { #expect(await peer.rest() == []) }
            #expect(!FileManager.default.fileExists(atPath: server.path.description))
        }
    }

    @Test func `calls under way finish, new ones are refused, and peers that said hello are told`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            let plain = try await WirePeer.connect(to: server.path)
            let greeted = try await WirePeer.connect(to: server.path)
            let idle = try await WirePeer.connect(to: server.path)
            #expect(try await greeted.answer(to: Self.greeting).error == nil)
            #expect(try await idle.answer(to: Self.greeting).error == nil)
            try await plain.send(waiting("1", "a"))
            try await greeted.send(waiting("1", "b"))
            _ = (await gate.arrival(), await gate.arrival())

            server.stop()
            #expect(try await greeted.receive() == Self.draining)
            #expect(!FileManager.default.fileExists(atPath: server.path.description))
            #expect(try await idle.receive() == Self.draining)
            #expect(await idle.rest() == [])
            for peer in [plain, greeted] {
                let answer = try await peer.answer(to: request("2", "rpc.ping"))
                #expect(answer.id == "2")
                #expect(answer.error?.kind == .unavailable)
                #expect(answer.error?.begun == false)
            }

            gate.open("a")
            gate.open("b")
            #expect(try await plain.answer().result == #"{"text":"a"}"#)
            #expect(try await greeted.answer().result == #"{"text":"b"}"#)
            #expect(await plain.rest() == [])
            #expect(await greeted.rest() == [])
            await server.ended()
        }
    }

    @Test func `a call that crosses rpc·draining is refused with begun:false`() async throws {
        var limits = Limits()
        limits.discardTime = .seconds(30)
        try await TestServer.with(EchoContract.table, limits: limits) { server in
            let idle = try await WirePeer.connect(to: server.path)
            #expect(try await idle.answer(to: Self.greeting).error == nil)
            server.stop()
            #expect(try await idle.receive() == Self.draining)
            let answer = try await idle.answer(to: request("1", "rpc.ping"))
            #expect(answer.error?.kind == .unavailable)
            #expect(answer.error?.begun == false)
            try await idle.close()
            await server.ended()
        }
    }

    @Test func `the server does not wait for a greeted peer that does not close`() async throws {
        var limits = Limits()
        limits.discardTime = .milliseconds(50)
        try await TestServer.with(EchoContract.table, limits: limits) { server in
            let idle = try await WirePeer.connect(to: server.path)
            #expect(try await idle.answer(to: Self.greeting).error == nil)
            server.stop()
            #expect(try await idle.receive() == Self.draining)
            #expect(await idle.rest() == [])
            await server.ended()
        }
    }

    @Test func `calls that arrived while the loop was blocked are answered before the server closes`() async throws {
        let gate = Gate()
        let executor = LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())
        var limits = Limits()
        limits.discardTime = .milliseconds(50)
        let (holds, holding) = AsyncStream.makeStream(of: Void.self)
        let isSent = Atomic(false)
        var table = EchoContract.table
        table.handle(EchoContract.wait) { params, _ in
            try await gate.pass(params.text)
            // Blocks the loop once this call is answered, for longer than a notified client may take to close.
            executor.loop.execute {
                holding.finish()
                let end = NIODeadline.now() + .milliseconds(500)
                while !isSent.load(ordering: .acquiring) || NIODeadline.now() < end { usleep(1000) }
            }
            return params
        }
        try await TestServer.with(table, limits: limits, executor: executor) { server in
            let peer = try await WirePeer.connect(to: server.path)
            #expect(try await peer.answer(to: Self.greeting).error == nil)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            server.stop()
            #expect(try await peer.receive() == Self.draining)
            gate.open("a")
            for await _ in holds {}
            try await peer.send(request("2", "rpc.ping"))
            isSent.store(true, ordering: .releasing)
            let answers = [try await peer.answer(), try await peer.answer()].sorted { $0.id < $1.id }
            #expect(answers.map(\.id) == ["1", "2"])
            #expect(answers.last?.error?.kind == .unavailable)
            #expect(answers.last?.error?.begun == false)
            await server.ended()
        }
    }

    @Test(arguments: [false, true])
    func `a connection with messages left for a later turn closes after their answers`(saysHello: Bool) async throws {
        var limits = Limits()
        limits.drainTime = .hours(1)
        var table = EchoContract.table
        // Synchronous, and longer than a turn.
        table.handle(EchoContract.echo) { params, _ in
            usleep(2_000)
            return params
        }
        let executor = LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())
        try await TestServer.with(table, limits: limits, executor: executor) { server in
            let peer = try await WirePeer.connect(to: server.path)
            if saysHello { #expect(try await peer.answer(to: Self.greeting).error == nil) }
            for number in 1...200 { try await peer.send(request("\(number)", "echo.say", #"{"text":"a"}"#)) }
            _ = try await peer.receive()
            server.stop()
            var answers = 1
            while let message = try await peer.receive() { answers += message == Self.draining ? 0 : 1 }
            // A client that has not sent `rpc.hello` gets no `rpc.draining`. The server does not wait for requests of
            // such a client that it has not read.
            #expect(saysHello ? answers == 200 : answers > 0)
            await server.ended()
        }
    }

    @Test func `calls that outlast the time for draining are cancelled and answered`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.drainTime = .milliseconds(50)
        try await TestServer.with(EchoContract.table(gate), limits: limits) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            server.stop()
            let answer = try await peer.answer()
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .unavailable)
            #expect(answer.error?.begun == true)
            #expect(await gate.cancellation() == "a")
            #expect(await peer.rest() == [])
            await server.ended()
        }
    }

    @Test func `the server does not wait for a peer that does not read its last answers`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.drainTime = .milliseconds(50)
        limits.discardTime = .milliseconds(300)
        try await TestServer.with(EchoContract.table(gate), limits: limits) { server in
            let deaf = try await WirePeer.connect(to: server.path)
            try await deaf.setReading(false)
            try await deaf.send(request("1", "echo.grow", #"{"bytes":600000}"#))
            try await deaf.send(waiting("2", "a"))
            #expect(await gate.arrival() == "a")
            server.stop()
            await server.ended()
        }
    }

    @Test func `handlers that ignore their cancellation are reported after a grace period`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.drainTime = .milliseconds(20)
        limits.stopGrace = .milliseconds(20)
        var table = EchoContract.table
        table.handle(EchoContract.wait) { params, _ in
            // Ignores its cancellation.
            await Task { try? await gate.pass(params.text) }.value
            return params
        }
        let server = RPCServer(
            identity: ServiceIdentity(name: "test", version: "1"), methods: table, limits: limits, onFault: { _ in })
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let (leftBehind, leave) = AsyncStream.makeStream(of: [String].self)
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let socket = try ListeningSocket(path: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await server.run(on: socket, onLeftBehind: { leave.yield($0) }) { for await _ in stops {} }
                }
                let peer = try await WirePeer.connect(to: path)
                try await peer.send([waiting("1", "a"), waiting("2", "b")].map(WireFrame.message))
                try await peer.send(request("3", "echo.say", #"{"text":"ends"}"#))
                _ = (await gate.arrival(), await gate.arrival())
                stop.finish()
                #expect(await leftBehind.first { _ in true } == ["echo.wait", "echo.wait"])
                for name in ["a", "b"] { gate.open(name) }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a half-closed peer's calls finish while the server drains`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            try await peer.finishSending()
            server.stop()
            gate.open("a")
            #expect(try await peer.answer().result == #"{"text":"a"}"#)
            #expect(await peer.rest() == [])
            await server.ended()
        }
    }

    @Test func `cancelling the server ends everything at once`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let idle = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            server.kill()
            #expect(await gate.cancellation() == "a")
            await server.ended()
            // The order of the handler's end and the connection's end is undefined.
            if let answer = try await peer.receive().map(Answer.init) {
                #expect(answer.id == "1")
                #expect(answer.error?.kind == .unavailable)
            }
            #expect(await peer.rest() == [])
            #expect(await idle.rest() == [])
            #expect(!FileManager.default.fileExists(atPath: server.path.description))
        }
    }

    @Test func `cancelling a server that drains ends everything at once`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            #expect(try await peer.answer(to: Self.greeting).error == nil)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            server.stop()
            #expect(try await peer.receive() == Self.draining)
            server.kill()
            await server.ended()
            if let answer = try await peer.receive().map(Answer.init) { #expect(answer.error?.kind == .unavailable) }
            #expect(await peer.rest() == [])
        }
    }

    /// Other tests open and soon close descriptors at the same time. So the count is compared with a tolerance,
    /// repeatedly until it fits; a descriptor leaked in each round would exceed it until the time limit. Those of event
    /// loops are not counted, because the loops of other tests are never closed: the anonymous inodes, and for each
    /// `epoll` the two sockets of a `PollSignal`.
    @Test func `no descriptor is left behind`() async throws {
        func descriptors() throws -> Int {
            let targets = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            }
            let loops = targets.count { $0 == "anon_inode:[eventpoll]" }
            return targets.count { !$0.hasPrefix("anon_inode:") } - 2 * loops
        }
        let rounds = 60
        let before = try descriptors()
        for round in 0..<rounds {
            let gate = Gate()
            try await TestServer.with(EchoContract.table(gate)) { server in
                try await RPCClient.withConnection(to: server.path, as: "test") { client in
                    _ = try await client.call(EchoContract.echo, .init(text: "a"))
                }
                let peer = try await WirePeer.connect(to: server.path)
                try await peer.send(waiting("1", "a"))
                _ = await gate.arrival()
                switch round % 3 {
                case 0:
                    server.stop()
                    gate.open("a")
                case 1: server.kill()
                default:
                    try await peer.close()
                    server.stop()
                }
                await server.ended()
                try await peer.waitUntilClosed()
            }
        }
        while try descriptors() - before >= rounds / 2 { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test func `bytes that a peer sends after its last unread answer are discarded`() async throws {
        var limits = Limits()
        limits.drainTime = .milliseconds(100)
        limits.discardTime = .milliseconds(100)
        try await TestServer.with(EchoContract.table, limits: limits) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.setReading(false)
            try await peer.send(request("1", "echo.grow", #"{"bytes":4000000}"#))
            server.stop()
            for _ in 0..<64 { peer.post([UInt8](repeating: 0x20, count: 1_000_000)) }
            await server.ended()
        }
    }
}
