import Foundation
import JSON
import NIOCore
import RPC
import RPCTestKit
import Testing

struct DrainTests {
    private static let greeting = request("\"hello\"", "rpc.hello", #"{"protocols":[1]}"#)
    private static let draining = #"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#

    /// For tests in which the server waits for its calls, however busy the machine is.
    private static let patient = {
        var limits = Limits()
        limits.drainTime = .hours(1)
        return limits
    }()

    /// Makes a server drain, and returns once it does.
    private static func drain(_ server: TestServer) async throws {
        let peer = try await WirePeer.connect(to: server.path)
        #expect(try await peer.answer(to: greeting).error == nil)
        server.stop()
        #expect(try await peer.receive() == draining)
        try await peer.close()
    }

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
        try await TestServer.with(EchoContract.table(gate), limits: Self.patient) { server in
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
                let answer = try await peer.answer(to: request("2", "echo.say", #"{"text":"c"}"#))
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

    @Test func `a server that drains answers rpc·health, with draining, and rpc·ping`() async throws {
        let (gate, since) = (Gate(), Date(timeIntervalSince1970: 0))
        let full = Health.Check(name: "store", status: .degraded, detail: "full", since: since)
        try await TestServer.with(EchoContract.table(gate), limits: Self.patient, health: { [full] }) { server in
            let peer = try await WirePeer.connect(to: server.path)
            #expect(try await peer.answer(to: Self.greeting).error == nil)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            let before = try await peer.health("2")
            #expect(before == Health(.degraded, [full]))
            server.stop()
            #expect(try await peer.receive() == Self.draining)
            try await peer.expect(#"{"jsonrpc":"2.0","id":3,"result":{}}"#, to: request("3", "rpc.ping"))
            let health = try await peer.health("4")
            #expect(health.status == .draining)
            #expect(health.checks.map(\.name) == ["server", "store"] && health.checks.last == full)
            #expect(health.checks.first?.status == .draining && health.checks.first?.detail != nil)
            gate.open("a")
            #expect(try await peer.answer().id == "1")
            try await peer.close()
            await server.ended()
        }
    }

    @Test func `a call that crosses rpc·draining is refused with begun:false`() async throws {
        try await TestServer.with(EchoContract.table, executor: .timed(by: ManualClock())) { server in
            let idle = try await WirePeer.connect(to: server.path)
            #expect(try await idle.answer(to: Self.greeting).error == nil)
            server.stop()
            #expect(try await idle.receive() == Self.draining)
            let answer = try await idle.answer(to: request("1", "echo.say", #"{"text":"a"}"#))
            #expect(answer.error?.kind == .unavailable)
            #expect(answer.error?.begun == false)
            try await idle.close()
            await server.ended()
        }
    }

    @Test func `the server does not wait for a greeted peer that does not close`() async throws {
        let clock = ManualClock()
        try await TestServer.with(EchoContract.table, executor: .timed(by: clock)) { server in
            let idle = try await WirePeer.connect(to: server.path)
            #expect(try await idle.answer(to: Self.greeting).error == nil)
            server.stop()
            #expect(try await idle.receive() == Self.draining)
            await clock.advance(by: Limits().discardTime)
            #expect(await idle.rest() == [])
            await server.ended()
        }
    }

    @Test func `calls that arrived while the loop was blocked are answered before the server closes`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let executor = LoopExecutor.separate(timedBy: clock)
        let (holds, holding) = AsyncStream.makeStream(of: Void.self)
        let isSent = DispatchSemaphore(value: 0)
        var table = EchoContract.table
        table.handle(EchoContract.wait) { params, _ in
            try await gate.pass(params.text)
            // Blocks the loop once this call is answered, for longer than a notified client may take to close.
            executor.loop.execute {
                holding.finish()
                isSent.wait()
                clock.jump(by: 2 * Limits().discardTime)
            }
            return params
        }
        try await TestServer.with(table, executor: executor) { server in
            let peer = try await WirePeer.connect(to: server.path)
            #expect(try await peer.answer(to: Self.greeting).error == nil)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            server.stop()
            #expect(try await peer.receive() == Self.draining)
            gate.open("a")
            for await _ in holds {}
            try await peer.send(request("2", "echo.say", #"{"text":"b"}"#))
            isSent.signal()
            let answers = [try await peer.answer(), try await peer.answer()].sorted { $0.id < $1.id }
            #expect(answers.map(\.id) == ["1", "2"])
            #expect(answers.last?.error?.kind == .unavailable)
            #expect(answers.last?.error?.begun == false)
            await clock.advance(by: Limits().discardTime)
            await server.ended()
        }
    }

    @Test(arguments: [false, true])
    func `a connection with messages left for a later turn closes after their answers`(saysHello: Bool) async throws {
        let clock = ManualClock()
        var table = EchoContract.table
        // Synchronous, and longer than a turn.
        table.handle(EchoContract.echo) { params, _ in
            clock.jump(by: .milliseconds(2))
            return params
        }
        try await TestServer.with(table, executor: .separate(timedBy: clock)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            if saysHello { #expect(try await peer.answer(to: Self.greeting).error == nil) }
            for number in 1...200 { try await peer.send(request("\(number)", "echo.say", #"{"text":"a"}"#)) }
            var messages = [try await peer.receive()]
            server.stop()
            // A client that has sent `rpc.hello` is told, and closes after its last answer.
            while !saysHello || messages.count < 201, let message = try await peer.receive() {
                messages.append(message)
            }
            if saysHello { try await peer.close() }
            let answers = messages.count { $0 != Self.draining }
            // A client that has not sent `rpc.hello` gets no `rpc.draining`. The server does not wait for requests of
            // such a client that it has not read.
            #expect(saysHello ? answers == 200 : answers > 0)
            await server.ended()
        }
    }

    @Test func `calls that outlast the time for draining are cancelled and answered`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        try await TestServer.with(EchoContract.table(gate), executor: .timed(by: clock)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            try await Self.drain(server)
            await clock.advance(by: Limits().drainTime)
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
        let (gate, clock) = (Gate(), ManualClock())
        try await TestServer.with(EchoContract.table(gate), executor: .timed(by: clock)) { server in
            let deaf = try await WirePeer.connect(to: server.path)
            try await deaf.setReading(false)
            try await deaf.send(request("1", "echo.grow", #"{"bytes":600000}"#))
            try await deaf.send(waiting("2", "a"))
            #expect(await gate.arrival() == "a")
            try await Self.drain(server)
            await clock.advance(by: Limits().drainTime + Limits().discardTime)
            await server.ended()
        }
    }

    @Test func `handlers that ignore their cancellation are reported after a grace period`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        var table = EchoContract.table
        table.handle(EchoContract.wait) { params, _ in
            // Ignores its cancellation.
            await Task { try? await gate.pass(params.text) }.value
            return params
        }
        let server = RPCServer(
            identity: ServiceIdentity(name: "test", version: "1"), methods: table,
            executors: LoopExecutors(.timed(by: clock)), onFault: { _ in })
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
                try await peer.greet([])
                try await peer.send([waiting("1", "a"), waiting("2", "b")].map(WireFrame.message))
                #expect(try await peer.answer(to: request("3", "echo.say", #"{"text":"ends"}"#)).error == nil)
                _ = (await gate.arrival(), await gate.arrival())
                stop.finish()
                #expect(try await peer.receive() == Self.draining)
                await clock.advance(by: Limits().drainTime + Limits().stopGrace)
                #expect(await leftBehind.first { _ in true } == ["echo.wait", "echo.wait"])
                for name in ["a", "b"] { gate.open(name) }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a half-closed peer's calls finish while the server drains`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate), limits: Self.patient) { server in
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
        try await TestServer.with(EchoContract.table(gate), limits: Self.patient) { server in
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

    /// In a process of its own, where no other test opens descriptors.
    @Test func `no descriptor is left behind`() async {
        await #expect(processExitsWith: .success) {
            beginOwnProcess()
            func descriptors() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").sorted()
            }
            // The first rounds open those of the event loops.
            for round in 0..<3 { try await Self.serve(round) }
            let before = try descriptors()
            for round in 0..<12 { try await Self.serve(round) }
            let after = try descriptors()
            precondition(after == before, "\(after)")
        }
    }

    /// Serves a client and a plain peer once, and ends in one of three ways.
    private static func serve(_ round: Int) async throws {
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

    @Test func `bytes that a peer sends after its last unread answer are discarded`() async throws {
        let clock = ManualClock()
        try await TestServer.with(EchoContract.table, executor: .timed(by: clock)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.setReading(false)
            try await peer.send(request("1", "echo.grow", #"{"bytes":4000000}"#))
            try await Self.drain(server)
            for _ in 0..<64 { peer.post([UInt8](repeating: 0x20, count: 1_000_000)) }
            await clock.advance(by: Limits().drainTime + Limits().discardTime)
            await server.ended()
        }
    }
}

extension WirePeer {
    fileprivate func health(_ id: String) async throws -> Health {
        let answer = try await answer(to: request(id, "rpc.health"))
        return try RawJSON(checking: try #require(answer.result)).read(as: Health.codec)
    }
}
