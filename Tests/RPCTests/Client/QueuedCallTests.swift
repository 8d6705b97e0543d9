import RPC
import RPCTestKit
import Testing

/// Calls that are queued in the client because the peer accepts no more.
@Suite(.timeLimit(.minutes(5))) struct QueuedCallTests {
    /// On the client's event loop, so that calls are queued in the order in which they are made.
    private static func call(_ client: RPCClient, _ text: String) -> Task<String, any Error> {
        Task(executorPreference: LoopExecutor.shared) {
            try await client.call(EchoContract.echo, .init(text: text), CallOptions(timeout: .minutes(4))).text
        }
    }

    /// Answers the next request with its text.
    /// - Returns: the text.
    private static func answer(_ peer: WirePeer) async throws -> String {
        let request = try #require(try await peer.receive())
        let match = try #require(request.firstMatch(of: /"id":([0-9]+),.*"text":"([0-9]+)"/))
        try await peer.send(#"{"jsonrpc":"2.0","id":\#(match.1),"result":{"text":"\#(match.2)"}}"#)
        return String(match.2)
    }

    /// With few calls, ended ones stay in the queue; with many, they are removed when the next calls are added.
    @Test(arguments: [20, 500])
    func `calls that are cancelled while they wait are never sent, and the others keep their order`(
        count: Int
    ) async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.acceptGreeting(callsPerConnection: 1)
                while await client.greeting() == nil { await Task.yield() }
                let calls = (0..<count).map { Self.call(client, "\($0)") }
                // The first is sent; of the others, one in ten is not cancelled.
                let isKept = { (number: Int) in number % 10 == 0 }
                for (number, call) in calls.enumerated() where !isKept(number) { call.cancel() }
                for (number, call) in calls.enumerated() where !isKept(number) {
                    let error = await #expect(throws: RPCError.self) { try await call.value }
                    #expect(error?.kind == .cancelled)
                }
                let later = (count..<count + 10).map { Self.call(client, "\($0)") }
                for number in Array(0..<count).filter(isKept) + Array(count..<count + 10) {
                    #expect(try await Self.answer(peer) == "\(number)")
                }
                for (number, call) in (calls + later).enumerated() where isKept(number) || number >= count {
                    #expect(try await call.value == "\(number)")
                }
            }
        }
    }
}
