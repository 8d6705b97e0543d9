import RPCTestKit
import Testing

@testable import RPC

/// How soon a client reconnects: protocol §6.6.
@Suite(.timeLimit(.minutes(5))) struct ReconnectingTests {
    /// Connections that end as soon as the greeting was read.
    private static func visitShortly(
        _ times: Int, _ client: RPCClient, _ listener: WireListener
    ) async throws {
        for _ in 1...times {
            let peer = try await listener.acceptGreeting()
            while await client.greeting() == nil { await Task.yield() }
            try await peer.close()
            while await client.greeting() != nil { await Task.yield() }
        }
    }

    @Test func `attempts to connect to a server that greets and closes at once become less frequent`() async throws {
        let start = ContinuousClock.now
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                try await Self.visitShortly(7, client, listener)
            }
        }
        // 50, 80, 128, 205, 328 and 524 ms, each less a fifth: 1,052 ms. On a very slow machine one connection may take
        // 500 ms, after which the pauses begin again.
        #expect(ContinuousClock.now - start > .milliseconds(800))
    }

    @Test func `after a connection that lasted, the next attempt follows at once`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                // The next pauses would be over 1.6 s.
                try await Self.visitShortly(9, client, listener)
                var peer = try await listener.acceptGreeting()
                for _ in 1...20 {
                    try await Task.sleep(for: .nanoseconds(2 * Circuit.shortestLife.nanoseconds))
                    try await peer.close()
                    let end = ContinuousClock.now
                    peer = try await listener.acceptGreeting()
                    // A busy machine may connect slowly sometimes, but not every time.
                    if ContinuousClock.now - end < .milliseconds(1_500) { return }
                }
                Issue.record("the pauses did not become short again")
            }
        }
    }
}
