import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// How soon a client reconnects: protocol §6.6.
struct ReconnectingTests {
    private let clock = ManualClock()

    private func withClient(_ body: (WireListener) async throws -> Void) async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test", executor: .timed(by: clock)) { _ in
                try await body(listener)
            }
        }
    }

    /// Accepts connections and ends each at once. Checks the pauses between them, which grow.
    private func visitShortly(
        _ times: Int, _ listener: WireListener, _ end: (WirePeer) async throws -> Void
    ) async throws {
        var expected = Backoff()
        _ = expected.next()
        for _ in 1...times {
            try await end(try await listener.accept())
            let pause = await clock.timeToNextWake()
            let middle = TimeAmount(expected.next(random: 0)).nanoseconds
            #expect(abs(pause.nanoseconds - middle) <= middle / 4)
            await clock.advance(by: pause)
        }
    }

    @Test func `attempts to connect to a server that greets and closes at once become less frequent`() async throws {
        try await withClient { listener in
            try await visitShortly(7, listener) { peer in
                _ = try await peer.receive()
                try await peer.sendGreeting()
                try await peer.close()
            }
        }
    }

    @Test func `attempts to connect to a server that keeps refusing become less frequent`() async throws {
        try await withClient { listener in
            try await visitShortly(5, listener) { peer in
                _ = try await peer.receive()
                try await peer.send(
                    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"m","data":{"begun":false}}}"#)
            }
        }
    }

    @Test func `after a connection that lasted, the next attempt follows at once`() async throws {
        try await withClient { listener in
            try await visitShortly(9, listener) { try await $0.close() }
            let peer = try await listener.acceptGreeting()
            await clock.advance(by: Circuit.shortestLife)
            try await peer.close()
            // No time passes any more.
            _ = try await listener.acceptGreeting()
        }
    }
}
