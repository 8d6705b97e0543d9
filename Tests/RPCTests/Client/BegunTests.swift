import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// `begun:false` guarantees that no handler ran in any attempt: protocol §3 and §6.6.
struct BegunTests {
    /// A client whose repeatable call has reached its peer, which then closed the connection.
    private static func withCutCall(timeout: TimeAmount = .seconds(30)) throws -> (client: TimedClient, call: Int) {
        let client = try TimedClient()
        try client.connectAndGreet()
        client.pass(.seconds(1))
        let call = client.call("a", timeout: timeout)
        #expect(try client.calls() == ["a"])
        client.cut()
        #expect(client.outcome(call) == nil)
        return (client, call)
    }

    @Test func `a call that was cut off may have begun, when the peer cannot be reached afterwards`() throws {
        let (client, call) = try Self.withCutCall()
        client.pass(Circuit.patience)
        client.fail()
        #expect(client.error(call)?.kind == .unavailable && client.error(call)?.begun == true)
    }

    @Test func `a call that was cut off may have begun, when its time is over before there is a connection`() throws {
        let (client, call) = try Self.withCutCall(timeout: .seconds(2))
        client.pass(.seconds(2))
        #expect(client.error(call)?.kind == .deadlineExceeded && client.error(call)?.begun == true)
    }

    @Test func `a call that was cut off may have begun, when it is cancelled before there is a connection`() throws {
        let (client, call) = try Self.withCutCall()
        client.cancel(call)
        #expect(client.error(call)?.kind == .cancelled && client.error(call)?.begun == true)
    }

    @Test(arguments: [ErrorKind.unavailable, .overloaded, .invalidParams])
    func `a call that was cut off may have begun, when the next attempt is refused`(kind: ErrorKind) throws {
        let (client, call) = try Self.withCutCall()
        try client.connectAndGreet()
        #expect(try client.calls() == ["a"])
        try client.refuse(call, kind)
        #expect(client.error(call)?.kind == kind && client.error(call)?.begun == true)
    }

    @Test func `a call that never left, or that its peer has refused, has not begun`() throws {
        let client = try TimedClient()
        let (waiting, cancelled) = (client.call("a", timeout: .seconds(1)), client.call("b"))
        client.cancel(cancelled)
        client.pass(.seconds(1))
        #expect(client.error(waiting)?.kind == .deadlineExceeded && client.error(waiting)?.begun == false)
        #expect(client.error(cancelled)?.kind == .cancelled && client.error(cancelled)?.begun == false)
        try client.connectAndGreet()
        let refused = client.call("c")
        try client.refuse(refused, .overloaded)
        #expect(client.error(refused)?.kind == .overloaded && client.error(refused)?.begun == false)
    }

    @Test func `a call whose answer has arrived without its attachments has begun`() async throws {
        var limits = Limits()
        limits.assembledBytes = 4_096
        try await withWireServer(limits: limits) { client, peer in
            let call = Task { try await client.call(EchoContract.blob, .init(bytes: 4_097)) }
            _ = try await peer.receive()
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"result":{"data":{"$bytes":{"attachment":0}}},"attachments":[1]}"#)
            try await peer.send(WireFrame(.chunk, 1, [UInt8](repeating: 0, count: 4_097)))
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .tooLarge && error?.begun == true)
        }
    }
}
