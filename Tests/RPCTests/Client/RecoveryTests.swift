import Foundation
import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// What happens to calls when a connection is lost or its server drains: protocol §4 *Draining* and §5.7.
struct RecoveryTests {
    private let clock: ManualClock
    private let executor: LoopExecutor

    init() {
        clock = ManualClock()
        executor = .timed(by: clock)
    }

    private func withClient(
        limits: Limits = Limits(), _ body: (RPCClient, WireListener) async throws -> Void
    ) async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test", limits: limits, executor: executor) {
                try await body($0, listener)
            }
        }
    }

    /// Lets the pause pass after which a client connects again.
    private func passPause() async { await clock.advance(by: await clock.timeToNextWake()) }

    /// The next connection of a client that has lost one.
    private func acceptNext(_ listener: WireListener) async throws -> WirePeer {
        await passPause()
        return try await listener.acceptGreeting()
    }

    /// Begins on the event loop, so that calls are sent in the order in which they are made.
    private func begin(
        _ client: RPCClient, _ text: String, repeatable: Bool? = nil, timeout: TimeAmount = Limits.defaultTimeout
    ) -> Task<String, any Error> {
        Task(executorPreference: executor) {
            var options = CallOptions(timeout: timeout)
            options.isRepeatable = repeatable
            return try await client.call(EchoContract.echo, .init(text: text), options).text
        }
    }

    /// Returns once all calls made before have begun: the executor runs tasks in the order in which they are made.
    private func expectBegun() async { await Task(executorPreference: executor) {}.value }

    private static func answer(_ peer: WirePeer, _ id: Int, _ text: String) async throws {
        try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"\#(text)"}}"#)
    }

    private static let draining = #"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#

    private static func refusal(_ id: Int, begun: Bool) -> String {
        """
        {"jsonrpc":"2.0","id":\(id),"error":{"code":-32003,"message":"m","data":{"kind":"unavailable",\
        "retryable":true,"begun":\(begun)}}}
        """
    }

    @Test func `calls wait until hello is answered, because only then the peer's limits are known`() async throws {
        try await withClient { client, listener in
            let calls = (0..<3).map { begin(client, "\($0)") }
            let peer = try await listener.accept()
            #expect(try await peer.receive()?.contains("rpc.hello") == true)
            // No call was sent with the greeting: the next message is a call sent after its answer.
            try await peer.sendGreeting(callsPerConnection: 1)
            for id in 1...3 {
                let request = try #require(try await peer.receive())
                let sent = try #require(request.firstMatch(of: /"id":([0-9]+)/)?.1)
                try await Self.answer(peer, try #require(Int(sent)), "b")
                #expect(id <= 3)
            }
            for call in calls { #expect(try await call.value == "b") }
        }
    }

    @Test func `an idempotent call whose connection was lost is sent again with the same id`() async throws {
        try await withClient { client, listener in
            let call = begin(client, "a")
            let first = try await listener.acceptGreeting()
            let request = try await first.receive()
            try await first.close()
            let second = try await acceptNext(listener)
            let again = try await second.receive()
            // The same except for the remaining time.
            let strip = { (text: String?) in text?.replacing(/"timeout_ms":[0-9]+/, with: "") }
            #expect(strip(again) == strip(request))
            try await Self.answer(second, 1, "b")
            #expect(try await call.value == "b")
        }
    }

    @Test func `another call that was sent ends unavailable and may have begun`() async throws {
        try await withClient { client, listener in
            let call = begin(client, "a", repeatable: false)
            let first = try await listener.acceptGreeting()
            _ = try await first.receive()
            try await first.close()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .unavailable)
            #expect(error?.begun == true)
            let next = begin(client, "b")
            let second = try await acceptNext(listener)
            #expect(try await second.receive()?.contains(#"{"text":"b"}"#) == true)
            try await Self.answer(second, 2, "b")
            _ = try await next.value
        }
    }

    @Test func `the retry budget limits how many calls are sent again; the others end unavailable`() async throws {
        try await withClient { client, listener in
            let calls = (0..<8).map { begin(client, "\($0)") }
            let first = try await listener.acceptGreeting()
            for _ in calls { _ = try await first.receive() }
            try await first.close()
            let second = try await acceptNext(listener)
            for _ in 0..<3 {
                let request = try #require(try await second.receive())
                let id = try #require(request.firstMatch(of: /"id":([0-9]+)/)?.1)
                try await Self.answer(second, try #require(Int(id)), "b")
            }
            var (answered, lost) = (0, 0)
            for call in calls {
                switch await call.result {
                case .success: answered += 1
                case .failure(let error as RPCError):
                    #expect(error.kind == .unavailable && error.begun)
                    lost += 1
                case .failure(let error): Issue.record(error)
                }
            }
            #expect((answered, lost) == (3, 5))
        }
    }

    @Test func `a call that was not sent waits for the next connection, idempotent or not`() async throws {
        try await withClient { client, listener in
            let sent = begin(client, "sent")
            let first = try await listener.acceptGreeting(callsPerConnection: 1)
            _ = try await first.receive()
            let queued = (0..<3).map { begin(client, "queued \($0)", repeatable: false) }
            await expectBegun()
            try await first.close()
            let second = try await acceptNext(listener)
            for _ in 0..<4 {
                let request = try #require(try await second.receive())
                let id = try #require(request.firstMatch(of: /"id":([0-9]+)/)?.1)
                try await Self.answer(second, try #require(Int(id)), "b")
            }
            for call in [sent] + queued { #expect(try await call.value == "b") }
        }
    }

    @Test func `a draining server gets no new calls, and what it refuses goes to its successor`() async throws {
        try await withClient { client, listener in
            let underWay = begin(client, "under way")
            let old = try await listener.acceptGreeting()
            _ = try await old.receive()
            let crossing = begin(client, "crossing", repeatable: false)
            _ = try await old.receive()
            let begun = begin(client, "begun", repeatable: false)
            _ = try await old.receive()
            try await old.send(Self.draining)
            try await old.send(Self.refusal(2, begun: false))
            try await old.send(Self.refusal(3, begun: true))
            let error = await #expect(throws: RPCError.self) { try await begun.value }
            #expect(error?.kind == .unavailable && error?.begun == true)
            let new = begin(client, "new", repeatable: false)
            // Still answered, and the last message to the old server.
            try await Self.answer(old, 1, "b")
            #expect(try await underWay.value == "b")
            #expect(await old.rest() == [])

            let successor = try await acceptNext(listener)
            for _ in 0..<2 {
                let request = try #require(try await successor.receive())
                #expect(request.contains("crossing") || request.contains("new"))
                try await Self.answer(successor, request.contains("crossing") ? 2 : 4, "c")
            }
            #expect(try await crossing.value == "c")
            #expect(try await new.value == "c")
        }
    }

    @Test func `a stream is not sent again`() async throws {
        try await withClient { client, listener in
            let stream = Task {
                try await client.withStream(EchoContract.count, .init(bytes: 5)) { items in
                    try await items.reduce(into: []) { $0.append($1.text) }
                }
            }
            let first = try await listener.acceptGreeting()
            _ = try await first.receive()
            try await first.send(#"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":1,"item":{"text":"0"}}}"#)
            try await first.close()
            let error = await #expect(throws: RPCError.self) { try await stream.value }
            #expect(error?.kind == .unavailable)
        }
    }

    @Test(arguments: [10, 100_000, 3_000_000])
    func `a peer that accepts and never reads holds no call beyond its deadline, and little memory`(
        size: Int
    ) async throws {
        var limits = Limits()
        limits.queuedBytes = 500_000
        try await withClient(limits: limits) { client, listener in
            let peer = try await listener.acceptGreeting(frameBytes: 8_000_000, features: ["parts"])
            try await peer.setReading(false)
            let text = String(repeating: "x", count: size)
            let calls = (0..<10).map { _ in begin(client, text, timeout: .milliseconds(400)) }
            await expectBegun()
            await clock.advance(by: .milliseconds(400))
            for call in calls {
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .deadlineExceeded)
            }
        }
    }

    @Test func `a client disconnects from a draining peer as soon as it has its answers`() async throws {
        try await withClient { client, listener in
            let first = try await listener.acceptGreeting()
            try await first.send(Self.draining)
            #expect(await first.rest() == [])
            let second = try await acceptNext(listener)
            let (last, other) = (begin(client, "a"), begin(client, "b"))
            for _ in 1...2 { _ = try await second.receive() }
            try await second.send(Self.draining)
            try await Self.answer(second, 2, "b")
            #expect(try await other.value == "b")
            // A new call waits for the third connection.
            let next = begin(client, "c", repeatable: false)
            await expectBegun()
            try await Self.answer(second, 1, "a")
            #expect(try await last.value == "a")
            #expect(await second.rest() == [])
            let third = try await acceptNext(listener)
            #expect(try await third.receive()?.contains(#"{"text":"c"}"#) == true)
            try await Self.answer(third, 3, "c")
            #expect(try await next.value == "c")
        }
    }

    /// A call may cross `rpc.draining`: it has not begun, so even a write is sent to the successor.
    @Test func `no call is lost while a server is replaced again and again`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            /// Makes the path lead to another socket atomically.
            func lead(to socket: SocketPath) throws {
                try FileManager.default.createSymbolicLink(
                    atPath: directory + "/next", withDestinationPath: socket.description)
                try #require(rename(directory + "/next", path.description) == 0)
            }
            for _ in 0..<10 {
                try await TestServer.with(EchoContract.table, at: SocketPath(directory + "/old.sock")) { old in
                    try await TestServer.with(EchoContract.table, at: SocketPath(directory + "/new.sock")) { new in
                        try lead(to: old.path)
                        try await RPCClient.withConnection(to: path, as: "test", executor: executor) { client in
                            try await client.expectEcho()
                            let calls = (0..<50).map { begin(client, "\($0)", repeatable: false) }
                            try lead(to: new.path)
                            old.stop()
                            await old.ended()
                            await passPause()
                            for (number, call) in calls.enumerated() {
                                let answer = try await call.value
                                #expect(answer == "\(number)")
                            }
                        }
                    }
                }
            }
        }
    }
}
