import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// The end of a client that is not needed any more, such as that of a removed plugin.
struct RetiringTests {
    @Test func `calls under way may take 10 s, and not longer`() throws {
        #expect(Limits().drainTime == .seconds(10))
        let client = try TimedClient()
        try client.connectAndGreet()
        let (answered, hanging) = (client.call("a", timeout: .hours(1)), client.call("b", timeout: .hours(1)))
        var isOver = false
        client.core.retire { isOver = true }
        client.pass(Limits().drainTime - .nanoseconds(1))
        try client.answer(answered)
        #expect(try client.outcome(answered)?.get() != nil)
        #expect(!isOver && client.outcome(hanging) == nil)
        client.pass(.nanoseconds(1))
        #expect(isOver)
        // As `run` does then.
        client.core.stop()
        client.pass(.zero)
        #expect(client.error(hanging)?.kind == .unavailable && client.error(hanging)?.begun == true)
    }

    @Test func `it is over with the last call, and new calls are refused`() throws {
        let client = try TimedClient()
        try client.connectAndGreet()
        let call = client.call("a")
        var isOver = false
        client.core.retire { isOver = true }
        let late = client.call("b")
        #expect(client.error(late)?.message == "peer: it was removed from the configuration")
        #expect(client.error(late)?.begun == false && !isOver)
        try client.answer(call)
        #expect(isOver)
    }

    @Test func `a call that is not answered in this time ends, and so does the connection`() async throws {
        try await WireListener.with { listener in
            let clock = ManualClock()
            let client = await RPCClient.make(to: listener.path, as: "test", executor: .timed(by: clock))
            let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run { for await _ in stops {} } }
                let peer = try await listener.acceptGreeting()
                let call = callEcho(client)
                _ = try await peer.receive()
                stopping.finish()
                await clock.advance(by: Limits().drainTime, once: 1)
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .unavailable && error?.begun == true)
                _ = await peer.rest()
                try await group.waitForAll()
            }
        }
    }
}
