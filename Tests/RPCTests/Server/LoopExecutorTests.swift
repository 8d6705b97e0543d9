import Foundation
import JSON
import RPCTestKit
import Synchronization
import Testing

@testable import RPC

struct LoopExecutorTests {
    private static let place = Method("place.look", "Look.", params: Empty.codec, answer: Place.codec)

    private struct Place: Sendable {
        let handler: Bool
        let away: Bool
        let back: Bool

        static let codec = Codec<Place>.object { object in
            let handler = object.required("handler", .boolean, \.handler)
            let away = object.required("away", .boolean, \.away)
            let back = object.required("back", .boolean, \.back)
            return { members throws(JSONError) in
                Place(handler: try members[handler], away: try members[away], back: try members[back])
            }
        }
    }

    private static var isOnLoop: Bool { LoopExecutor.shared.loop.inEventLoop }

    @Test func `handlers run on the event loop, blocking work does not, and they return to the loop`() async throws {
        var table = MethodTable(Contract(name: "place", version: 1, methods: [Self.place.description]))
        table.handle(Self.place) { _, _ in
            let handler = Self.isOnLoop
            let away = await withTaskExecutorPreference(globalConcurrentExecutor) { Self.isOnLoop }
            return Place(handler: handler, away: away, back: Self.isOnLoop)
        }
        try await TestServer.with(table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                let place = try await client.call(Self.place, Empty())
                #expect(place.handler && !place.away && place.back)
            }
        }
    }

    @Test func `a caller that prefers the event loop resumes on it`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                let wasThere = try await withTaskExecutorPreference(LoopExecutor.shared) {
                    try await client.expectEcho()
                    return Self.isOnLoop
                }
                #expect(wasThere)
            }
        }
    }

    @Test func `handlers that never suspend do not block connections, reads and cancellations`() async throws {
        let gate = Gate()
        var table = EchoContract.table(gate)
        table.handle(EchoContract.trace) { _, _ in
            while !Task.isCancelled { await Task.yield() }
            try await gate.pass("stopped")
            return .init(text: "")
        }
        try await TestServer.with(table, executor: .separate(timedBy: ManualClock())) { server in
            let busy = try await WirePeer.connect(to: server.path)
            try await busy.send(request("1", "echo.trace"))
            try await WirePeer.connect(to: server.path).expectAlive()
            try await busy.expectAlive()
            try await busy.send(cancel("1"))
            #expect(try await busy.answer().error?.kind == .cancelled)
            #expect(await gate.arrival() == "stopped")
        }
    }

    /// Both the handler and the other threads have work for the loop at any time.
    @Test func `jobs of other threads do not keep the loop from its sockets`() async throws {
        var table = EchoContract.table
        table.handle(EchoContract.trace) { _, _ in
            while !Task.isCancelled { await Task.yield() }
            return .init(text: "")
        }
        let executor = LoopExecutor.separate(timedBy: ManualClock())
        try await TestServer.with(table, executor: executor) { server in
            let busy = try await WirePeer.connect(to: server.path)
            try await busy.send(request("1", "echo.trace"))
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        while !Task.isCancelled { await withTaskExecutorPreference(executor) {} }
                    }
                }
                for _ in 0..<10 { try await busy.expectAlive() }
                group.cancelAll()
            }
            try await busy.send(cancel("1"))
            #expect(try await busy.answer().error?.kind == .cancelled)
        }
    }

    /// The calls of both connections are read in one turn of the loop, those of the first connection first.
    @Test func `connections take turns, however many calls one of them has sent`() async throws {
        let clock = ManualClock()
        let executor = LoopExecutor.separate(timedBy: clock)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let letGo = DispatchSemaphore(value: 0)
        let order = Mutex<[String]>([])
        var table = EchoContract.table
        table.handle(EchoContract.fail) { params, _ in
            started.finish()
            letGo.wait()
            return params
        }
        table.handle(EchoContract.echo) { params, _ in
            order.withLock { $0.append(params.text) }
            clock.jump(by: .microseconds(100))
            return params
        }
        try await TestServer.with(table, executor: executor) { server in
            let (first, second) = (
                try await WirePeer.connect(to: server.path), try await WirePeer.connect(to: server.path)
            )
            try await first.expectAlive()
            try await second.expectAlive()
            try await first.send(request("0", "echo.fail", #"{"text":"hold"}"#))
            for await _ in starts {}
            let count = 1_000
            try await first.send(
                (1...count).flatMap { WirePeer.frame(request("\($0)", "echo.say", #"{"text":"first"}"#)) })
            try await second.send(request("1", "echo.say", #"{"text":"second"}"#))
            letGo.signal()
            #expect(try await second.answer().error == nil)
            for _ in 0...count { #expect(try await first.answer().error == nil) }
            let place = try #require(order.withLock { $0.firstIndex(of: "second") })
            #expect(place < count / 2, "\(place)")
        }
    }

    /// The calls have more bytes than the backlog of unread messages, and more than a turn can answer.
    @Test func `calls that arrive faster than they are answered stay unread, and none is refused`() async throws {
        let clock = ManualClock()
        var table = EchoContract.table
        table.handle(EchoContract.echo) { params, _ in
            clock.jump(by: .microseconds(100))
            return params
        }
        var limits = Limits()
        limits.callsPerConnection = 64
        try await TestServer.with(table, limits: limits, executor: .separate(timedBy: clock)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let text = String(repeating: "a", count: 200)
            let count = 4 * Limits.backlog / text.utf8.count
            peer.post(
                (1...count).flatMap { WirePeer.frame(request("\($0)", "echo.say", #"{"text":"\#(text)"}"#)) })
            for _ in 1...count {
                let error = try await peer.answer().error
                try #require(error == nil, "\(String(describing: error))")
            }
        }
    }
}
