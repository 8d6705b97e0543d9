import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// Calls that the peer has shed are sent again after the time that it named: protocol §6.6.
struct ShedCallTests {
    private static func client() throws -> TimedClient {
        let client = try TimedClient()
        try client.connectAndGreet()
        return client
    }

    @Test(arguments: [true, false])
    func `a shed call is sent again after the time that the peer named, repeatable or not`(repeatable: Bool) throws {
        let client = try Self.client()
        let call = client.call("a", repeatable: repeatable)
        for _ in 0..<RetryBudget.perSecond {
            #expect(try client.calls() == ["a"])
            try client.refuse(call, .overloaded, retryAfter: 25)
            client.pass(.milliseconds(24))
            #expect(try client.calls() == [])
            client.pass(.milliseconds(1))
        }
        #expect(try client.calls() == ["a"])
        try client.answer(call)
        #expect(try client.outcome(call)?.get() != nil)
    }

    @Test func `the retry budget applies to shed calls`() throws {
        let client = try Self.client()
        let calls = (0..<2 * RetryBudget.perSecond).map { client.call("\($0)") }
        for call in calls { try client.refuse(call, .overloaded, retryAfter: 25) }
        let ended = calls.filter { client.outcome($0) != nil }
        #expect(ended == Array(calls.dropFirst(RetryBudget.perSecond)))
        #expect(ended.allSatisfy { client.error($0)?.kind == .overloaded && client.error($0)?.begun == false })
    }

    /// The deadline is 1,000 ms after the call, so a pause of 1,000 ms is too long.
    @Test(arguments: [(999, true), (1_000, false), (.max, false)])
    func `a call is not made again after its deadline`(pause: Int, isMadeAgain: Bool) throws {
        let client = try Self.client()
        let call = client.call("a", timeout: .seconds(1))
        _ = try client.calls()
        try client.refuse(call, .overloaded, retryAfter: pause)
        #expect((client.outcome(call) == nil) == isMadeAgain)
        client.pass(.milliseconds(999))
        #expect(try client.calls() == (isMadeAgain ? ["a"] : []))
    }

    @Test func `a call that had begun, or whose peer names no time, is not made again`() throws {
        let client = try Self.client()
        let (begun, timeless) = (client.call("a"), client.call("b"))
        try client.refuse(begun, .overloaded, retryAfter: 25, begun: true)
        try client.refuse(timeless, .overloaded)
        #expect(client.error(begun)?.kind == .overloaded && client.error(begun)?.begun == true)
        #expect(client.error(timeless)?.kind == .overloaded && client.error(timeless)?.begun == false)
    }

    @Test func `a call that waits to be made again can be cancelled, times out, and ends when the client stops`() throws
    {
        let client = try Self.client()
        let calls = [client.call("a"), client.call("b", timeout: .seconds(2)), client.call("c")]
        for call in calls { try client.refuse(call, .overloaded, retryAfter: 1_000) }
        _ = try client.calls()
        client.cancel(calls[0])
        #expect(client.error(calls[0])?.kind == .cancelled && client.error(calls[0])?.begun == false)
        client.cut()
        client.pass(.seconds(2))
        #expect(client.error(calls[1])?.kind == .deadlineExceeded && client.error(calls[1])?.begun == false)
        #expect(client.outcome(calls[2]) == nil)
        client.core.stop()
        client.loop.run()
        #expect(client.error(calls[2])?.kind == .unavailable && client.error(calls[2])?.begun == false)
    }
}
