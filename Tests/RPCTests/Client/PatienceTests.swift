import Glibc
import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// How long calls wait for a peer that is unreachable: protocol §6.6.
struct PatienceTests {
    /// A client whose peer has just closed a long connection.
    private static func withLostPeer() throws -> TimedClient {
        let client = try TimedClient()
        try client.connectAndGreet()
        client.pass(.seconds(60))
        client.cut()
        client.fail()
        return client
    }

    @Test(arguments: [true, false])
    func `a call waits up to 3 s for a peer that restarts`(repeatable: Bool) throws {
        let client = try Self.withLostPeer()
        let call = client.call("a", repeatable: repeatable)
        for _ in 0..<20 {
            client.pass(.milliseconds(145))
            client.fail()
        }
        client.pass(.milliseconds(99))
        #expect(client.outcome(call) == nil)
        try client.connectAndGreet()
        #expect(try client.calls() == ["a"])
        #expect(client.changes == [.appeared])
    }

    @Test func `a repeatable call that was sent waits too, and another one ends at once`() throws {
        let client = try TimedClient()
        try client.connectAndGreet()
        client.pass(.seconds(60))
        let (repeatable, other) = (client.call("a"), client.call("b", repeatable: false))
        client.cut()
        #expect(client.error(other)?.kind == .unavailable && client.error(other)?.begun == true)
        client.pass(Circuit.patience - .milliseconds(1))
        #expect(client.outcome(repeatable) == nil)
        try client.connectAndGreet()
        #expect(try client.calls() == ["a"])
    }

    @Test func `after 3 s the peer is down: calls end, and later ones end at once`() throws {
        let client = try Self.withLostPeer()
        let call = client.call("a", repeatable: false)
        client.pass(Circuit.patience)
        #expect(client.error(call)?.kind == .unavailable && client.error(call)?.begun == false)
        #expect(client.error(call)?.message == "peer: cannot connect (Connection refused)")
        #expect(client.changes == [.appeared, .down(reason: "peer: cannot connect (Connection refused)")])
        let late = client.call("b")
        #expect(client.error(late)?.kind == .unavailable && client.error(late)?.begun == false)
    }

    @Test func `no call waits beyond its deadline`() throws {
        let client = try Self.withLostPeer()
        let call = client.call("a", timeout: .seconds(2))
        client.pass(.seconds(2))
        #expect(client.error(call)?.kind == .deadlineExceeded)
    }

    @Test func `a peer that never answered is down at once`() throws {
        let client = try TimedClient()
        let call = client.call("a")
        client.fail()
        #expect(client.error(call)?.kind == .unavailable && client.error(call)?.begun == false)
    }

    @Test(arguments: [true, false])
    func `a peer whose backlog is full is busy, not down: calls wait until their deadlines`(wasThere: Bool) throws {
        let client = wasThere ? try Self.withLostPeer() : try TimedClient()
        let (patient, other) = (client.call("a"), client.call("b", timeout: .seconds(20)))
        for _ in 0..<200 {
            client.fail(EAGAIN)
            client.pass(.milliseconds(100))
        }
        #expect(client.error(other)?.kind == .deadlineExceeded && client.error(other)?.begun == false)
        try client.connectAndGreet()
        #expect(try client.calls() == ["a"])
        try client.answer(patient)
        #expect(try client.outcome(patient)?.get() != nil)
    }

    @Test func `calls wait for a peer that was down and is busy`() throws {
        let client = try TimedClient()
        client.fail()
        client.fail(EAGAIN)
        let call = client.call("a")
        try client.connectAndGreet()
        #expect(try client.calls() == ["a"])
        #expect(client.outcome(call) == nil)
    }

    // MARK: Short connections

    /// The peer greets, closes after a while, and is unreachable for a second.
    private static func live(_ client: TimedClient, for life: TimeAmount) throws {
        try client.connectAndGreet()
        client.pass(life)
        client.cut()
        client.fail()
    }

    private static let short = Circuit.shortestLife - .milliseconds(1)

    @Test func `after the third short connection calls end at once, and those that wait too`() throws {
        let client = try TimedClient()
        for _ in 1..<Circuit.shortConnections {
            try Self.live(client, for: Self.short)
            client.pass(.seconds(1))
        }
        let waiting = client.call("a", repeatable: false)
        #expect(client.outcome(waiting) == nil)
        try client.connectAndGreet()
        #expect(try client.calls() == ["a"])
        try client.answer(waiting)
        let cut = client.call("b")
        client.pass(Self.short)
        client.cut()
        #expect(client.error(cut)?.kind == .unavailable && client.error(cut)?.begun == true)
        let late = client.call("c")
        #expect(client.error(late)?.kind == .unavailable && client.error(late)?.begun == false)
        #expect(
            client.error(late)?.message
                == "peer: its connections end soon after they began; tried again in the background")
        client.fail()
        #expect(client.error(client.call("d"))?.kind == .unavailable)
        // A greeting alone does not close the circuit.
        try client.connectAndGreet()
        #expect(client.error(client.call("e"))?.kind == .unavailable)
        #expect(try client.calls() == [])
        let reason = "peer: its connections end soon after they began; tried again in the background"
        #expect(client.changes == [.appeared, .down(reason: reason)])
    }

    @Test func `the circuit closes again when a connection has lived long enough`() throws {
        let client = try TimedClient()
        for _ in 1...Circuit.shortConnections { try Self.live(client, for: Self.short) }
        try client.connectAndGreet()
        client.pass(Self.short)
        #expect(client.error(client.call("a"))?.kind == .unavailable)
        client.pass(.milliseconds(1))
        let call = client.call("b")
        #expect(try client.calls() == ["b"])
        try client.answer(call)
        #expect(client.changes.last == .returned(isNew: false))
        // Earlier short connections no longer count.
        client.cut()
        let waiting = client.call("c")
        #expect(client.outcome(waiting) == nil)
    }

    @Test func `a connection that lived long enough in between keeps the circuit closed`() throws {
        let client = try TimedClient()
        for _ in 0..<3 {
            for _ in 1..<Circuit.shortConnections { try Self.live(client, for: Self.short) }
            try Self.live(client, for: Circuit.shortestLife)
        }
        #expect(client.outcome(client.call("a")) == nil)
        #expect(client.changes == [.appeared])
    }

    @Test func `connections that end by draining are not short`() throws {
        let client = try TimedClient()
        for _ in 0..<2 * Circuit.shortConnections {
            try client.connectAndGreet()
            try client.send(#"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#)
            #expect(!client.isConnected)
        }
        #expect(client.outcome(client.call("a")) == nil)
    }

    @Test func `a probe for a peer that let a call time out ends with its connection`() throws {
        let client = try TimedClient()
        try client.connectAndGreet()
        client.pass(.seconds(60))
        client.call("a", timeout: .seconds(1))
        client.pass(.seconds(1))
        #expect(try client.received().last?.method == "rpc.ping")
        client.cut()
        // The peer has restarted: the old process was silent, not this one.
        let call = client.call("b")
        client.pass(Limits().probeTime + .milliseconds(500))
        #expect(client.outcome(call) == nil)
        try client.connectAndGreet()
        #expect(try client.calls() == ["b"])
    }
}
