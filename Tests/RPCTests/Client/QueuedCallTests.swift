import RPC
import RPCTestKit
import Testing

/// Calls that are queued in the client because the peer accepts no more.
struct QueuedCallTests {
    private let executor = LoopExecutor.timed(by: ManualClock())

    /// On the client's event loop, so that calls are queued in the order in which they are made.
    private func call(_ client: RPCClient, _ text: String) -> Task<String, any Error> {
        Task(executorPreference: executor) { try await client.call(EchoContract.echo, .init(text: text)).text }
    }

    /// Answers a request with its text.
    /// - Returns: the text.
    private static func answer(_ request: String?, _ peer: WirePeer) async throws -> String {
        let request = try #require(request)
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
            try await RPCClient.withConnection(to: listener.path, as: "test", executor: executor) { client in
                let peer = try await listener.acceptGreeting(callsPerConnection: 1)
                let calls = (0..<count).map { call(client, "\($0)") }
                let first = try await peer.receive()
                // The first is sent; of the others, one in ten is not cancelled.
                let isKept = { (number: Int) in number % 10 == 0 }
                for (number, call) in calls.enumerated() where !isKept(number) { call.cancel() }
                for (number, call) in calls.enumerated() where !isKept(number) {
                    let error = await #expect(throws: RPCError.self) { try await call.value }
                    #expect(error?.kind == .cancelled)
                }
                let later = (count..<count + 10).map { call(client, "\($0)") }
                #expect(try await Self.answer(first, peer) == "0")
                for number in Array(1..<count).filter(isKept) + Array(count..<count + 10) {
                    #expect(try await Self.answer(peer.receive(), peer) == "\(number)")
                }
                for (number, call) in (calls + later).enumerated() where isKept(number) || number >= count {
                    #expect(try await call.value == "\(number)")
                }
            }
        }
    }
}
