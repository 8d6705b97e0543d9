import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// How a client handles messages that violate the protocol.
struct ViolationTests {
    private static let both = "an answer with both a result and an error"
    private static let neither = "an answer with neither a result nor an error"

    private static func client() throws -> TimedClient {
        let client = try TimedClient()
        try client.connectAndGreet()
        return client
    }

    private static func message(_ id: Int, _ members: String) -> String { #"{"jsonrpc":"2.0","id":\#(id)\#(members)}"# }

    @Test(
        arguments: [
            (#","result":{"text":"b"},"error":{"code":1,"message":"m"}"#, both), ("", neither),
            (#","error":{"message":"m"}"#, "error.code: is missing"),
            (#","error":1"#, "error: must be an object"),
        ])
    func `an invalid answer fails its own call with the reason, and no other`(
        members: String, fault: String
    ) throws {
        let client = try Self.client()
        let (call, other) = (client.call("a"), client.call("b"))
        try client.send(Self.message(call, members))
        #expect(client.error(call)?.kind == .invalidData && client.error(call)?.begun == true)
        #expect(client.error(call)?.message == "peer: protocol violation: \(fault)")
        #expect(client.outcome(other) == nil)
        try client.answer(other)
        #expect(try client.outcome(other)?.get() != nil)
    }

    @Test(
        arguments: [
            ("", neither),
            (#","result":{},"error":{"code":1,"message":"m"}"#, both),
            (#","result":{}"#, "an answer to no request"),
        ])
    func `a few violations are tolerated, and one more ends the connection`(members: String, fault: String) throws {
        let client = try Self.client()
        let call = client.call("a", repeatable: false)
        for _ in 1...ClientConnection.toleratedViolations { try client.send(Self.message(99, members)) }
        #expect(client.isConnected)
        #expect(client.outcome(call) == nil)
        try client.send(Self.message(99, members))
        #expect(!client.isConnected)
        #expect(client.error(call)?.kind == .invalidData)
        #expect(client.error(call)?.message == "peer: protocol violation: \(fault)")
        #expect(client.changes.last == .violated(reason: "protocol violation: \(fault)"))
    }

    /// For a call that was never made, and for a call that is not a stream.
    @Test(arguments: [99, 1, 0, -1])
    func `items for a stream that does not exist are violations`(id: Int) throws {
        let client = try Self.client()
        let call = client.call("a", repeatable: false)
        let item = #"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":\#(id),"item":{}}}"#
        for _ in 1...ClientConnection.toleratedViolations { try client.send(item) }
        #expect(client.outcome(call) == nil)
        try client.send(item)
        #expect(
            client.error(call)?.message
                == "peer: protocol violation: an item for a stream that does not exist")
        #expect(!client.isConnected)
    }

    @Test func `late messages for ended calls are no violation`() throws {
        let client = try Self.client()
        for _ in 0..<3 * ClientConnection.toleratedViolations {
            let (cancelled, late) = (client.call("a"), client.call("b", timeout: .milliseconds(10)))
            client.cancel(cancelled)
            client.pass(.milliseconds(10))
            for id in [cancelled, late] { try client.answer(id) }
        }
        #expect(client.isConnected)
        let call = client.call("c")
        try client.answer(call)
        #expect(try client.outcome(call)?.get() != nil)
    }

    /// One late answer is explained by the call, four more are tolerated.
    @Test func `an ended call explains one answer, and a flood of them ends the connection`() throws {
        let client = try Self.client()
        let (answered, cancelled) = (client.call("a"), client.call("b"))
        try client.answer(answered)
        client.cancel(cancelled)
        for _ in 0...ClientConnection.toleratedViolations { try client.answer(cancelled) }
        #expect(client.isConnected)
        try client.answer(answered)
        #expect(!client.isConnected)
    }

    @Test func `a flood of items for an ended call ends the connection`() throws {
        let client = try Self.client()
        let cancelled = client.call("a")
        client.cancel(cancelled)
        let item = #"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":\#(cancelled),"item":{}}}"#
        for _ in 0...ClientConnection.toleratedViolations { try client.send(item) }
        #expect(client.isConnected)
        try client.send(item)
        #expect(!client.isConnected)
    }

    @Test func `a second answer to the greeting is a violation`() throws {
        let client = try Self.client()
        for _ in 1...ClientConnection.toleratedViolations { try client.greet() }
        #expect(client.isConnected)
        try client.greet()
        #expect(!client.isConnected)
    }

    @Test func `notifications without an effect are ignored, and a flood of them ends the connection`() throws {
        let client = try Self.client()
        let news = #"{"jsonrpc":"2.0","method":"later.news","params":{}}"#
        for _ in 0..<3 {
            for _ in 1...ClientConnection.ignoredPerSecond { try client.send(news) }
            client.pass(.seconds(1))
        }
        for _ in 1...ClientConnection.ignoredPerSecond { try client.send(news) }
        #expect(client.isConnected)
        try client.send(news)
        #expect(!client.isConnected)
        #expect(
            client.changes.last
                == .violated(reason: "protocol violation: too many notifications that have no effect"))
    }

    @Test func `after a second violation calls fail at once, until the peer answers on a later connection`() throws {
        let client = try Self.client()
        try client.send("no message")
        try client.connectAndGreet()
        let call = client.call("a")
        #expect(client.outcome(call) == nil)
        try client.send("no message")
        let refused = client.call("b")
        #expect(client.error(refused)?.kind == .unavailable)
        #expect(
            client.error(refused)?.message
                == "peer: it violates the protocol repeatedly; tried again in the background")
        #expect(client.core.circuit.penalty == Circuit.penalties.first)
        try client.connectAndGreet()
        let later = client.call("c")
        try client.answer(later)
        #expect(try client.outcome(later)?.get() != nil)
    }

    // MARK: Frames

    @Test func `an incomplete frame times out`() throws {
        let client = try Self.client()
        let (repeatable, other) = (client.call("a"), client.call("b", repeatable: false))
        client.pass(.seconds(1))
        let answer = WirePeer.frame(#"{"jsonrpc":"2.0","id":99,"result":{}}"#)
        try client.send(Array(answer.prefix(1)))
        client.pass(Limits().frameTimeout - .seconds(2))
        #expect(client.isConnected)
        // A byte now and then does not extend the deadline.
        try client.send(Array(answer.dropFirst(1).prefix(5)))
        let (later, last) = (client.call("c"), client.call("d", repeatable: false))
        client.pass(.milliseconds(1_999))
        #expect(client.isConnected)
        client.pass(.milliseconds(1))
        #expect(!client.isConnected)
        #expect(client.error(repeatable)?.kind == .deadlineExceeded && client.error(other)?.kind == .deadlineExceeded)
        #expect(client.error(last)?.kind == .unavailable)
        #expect(
            client.error(last)?.message == "peer: it has stopped sending: a frame was not complete in time")
        try client.connectAndGreet()
        #expect(try client.calls() == ["c"])
        #expect(client.outcome(later) == nil)
    }

    @Test func `idle time between frames is not limited, and each frame has its own time`() throws {
        let client = try Self.client()
        let answer = WirePeer.frame(#"{"jsonrpc":"2.0","method":"later.news","params":{}}"#)
        for _ in 0..<3 {
            client.pass(.hours(1))
            try client.send(Array(answer.prefix(3)))
            client.pass(Limits().frameTimeout - .seconds(1))
            // The end of one frame and the beginning of the next.
            try client.send(Array(answer.dropFirst(3) + answer.prefix(3)))
            client.pass(Limits().frameTimeout - .seconds(1))
            try client.send(Array(answer.dropFirst(3)))
        }
        #expect(client.isConnected)
    }
}
