import NIOCore
import RPCTestKit
import Testing

@testable import RPC

struct CircuitTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private static let millisecond = TimeAmount.milliseconds(1)

    @Test func `a peer that is unreachable for 3 s opens the circuit, and anything it sends closes it`() {
        var circuit = Circuit()
        circuit.heard()
        circuit.lost(after: .hours(1), now: Self.start)
        for _ in 0..<100 { circuit.failedToConnect(now: Self.start + Circuit.patience - Self.millisecond) }
        #expect(!circuit.isOpen)
        #expect(circuit.patienceEnds == Self.start + Circuit.patience)
        circuit.heard()
        #expect(circuit.isSettled && circuit.patienceEnds == nil)
        circuit.lost(after: .hours(1), now: Self.start)
        circuit.failedToConnect(now: Self.start + Circuit.patience)
        #expect(circuit.fault == .unreachable)
        circuit.heard()
        #expect(!circuit.isOpen && circuit.isSettled)
    }

    @Test func `calls do not wait for a peer that never answered`() {
        var circuit = Circuit()
        circuit.failedToConnect(now: Self.start)
        #expect(circuit.fault == .unreachable)
        circuit.reached()
        #expect(!circuit.isOpen)
    }

    @Test func `short connections in a row open the circuit, and only one that lasts closes it`() {
        let short = Circuit.shortestLife - Self.millisecond
        var circuit = Circuit()
        for _ in 1..<Circuit.shortConnections { circuit.lost(after: short, now: Self.start) }
        // A connection that ended by draining does not count.
        circuit.lost(after: nil, now: Self.start)
        #expect(!circuit.isOpen)
        circuit.lost(after: short, now: Self.start)
        #expect(circuit.fault == .unstable)
        circuit.reached()
        circuit.heard()
        #expect(circuit.fault == .unstable && circuit.patienceEnds == nil)
        circuit.lasted()
        #expect(!circuit.isOpen)
        for _ in 1..<Circuit.shortConnections { circuit.lost(after: short, now: Self.start) }
        circuit.lost(after: Circuit.shortestLife, now: Self.start)
        circuit.lost(after: short, now: Self.start)
        #expect(!circuit.isOpen)
    }

    @Test func `the pause after violations in a row grows up to a limit, and a long lawful connection ends it`() {
        var circuit = Circuit()
        var penalties: [Duration] = []
        for _ in 1...9 {
            circuit.lost(after: Self.millisecond, isViolation: true, now: Self.start)
            penalties.append(circuit.penalty)
            circuit.heard()
        }
        #expect(penalties == [0, 1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
        circuit.lost(after: Circuit.lawfulLife - Self.millisecond, isViolation: true, now: Self.start)
        #expect(circuit.penalty == Circuit.penalties.last && circuit.fault == .violating)
        circuit.heard()
        #expect(!circuit.isOpen)
        circuit.lost(after: Circuit.lawfulLife, isViolation: true, now: Self.start)
        #expect(circuit.penalty == .zero && !circuit.isOpen)
    }

    @Test func `a call that timed out opens the circuit only when the probe times out too`() {
        var circuit = Circuit()
        circuit.heard()
        var isProbed = circuit.timedOut()
        #expect(isProbed && !circuit.isOpen && !circuit.isSettled)
        // One probe at a time.
        isProbed = circuit.timedOut()
        #expect(!isProbed)
        circuit.heard()
        var hasOpened = circuit.probeTimedOut()
        #expect(!hasOpened && !circuit.isOpen)
        isProbed = circuit.timedOut()
        hasOpened = circuit.probeTimedOut()
        #expect(isProbed && hasOpened && circuit.isOpen)
        // No further probe of that kind while it is open.
        isProbed = circuit.timedOut()
        hasOpened = circuit.probeTimedOut()
        #expect(!isProbed && !hasOpened)
        circuit.heard()
        #expect(circuit.isSettled)
    }

    // MARK: Probing

    private static func probe(_ number: Int) -> String {
        #"{"jsonrpc":"2.0","id":-\#(number),"method":"rpc.ping","params":{}}"#
    }

    private static let trace = TraceContext.random()
    private static let timeout = TimeAmount.milliseconds(20)

    /// A call that ends at its deadline.
    private static func lateCall(_ client: RPCClient) -> Task<String, any Error> {
        Task {
            try await client.call(
                EchoContract.echo, .init(text: "a"), CallOptions(timeout: timeout, trace: trace)
            ).text
        }
    }

    private static func expectLate(
        _ call: Task<String, any Error>, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: RPCError.self, sourceLocation: sourceLocation) { try await call.value }
        #expect(error?.kind == .deadlineExceeded, sourceLocation: sourceLocation)
    }

    /// Makes a call that the peer does not answer in time, and receives it, its cancellation and the probe.
    private static func timeOut(
        _ client: RPCClient, _ peer: WirePeer, _ clock: ManualClock, probe number: Int
    ) async throws {
        let call = lateCall(client)
        #expect(try await peer.receive()?.contains("echo.say") == true)
        await clock.advance(by: timeout)
        await expectLate(call)
        #expect(try await peer.receive()?.contains("rpc.cancel") == true)
        #expect(try await peer.receive() == probe(number))
    }

    /// Checks that a call is answered.
    private static func expectAnswer(_ client: RPCClient, _ peer: WirePeer) async throws {
        let call = callEcho(client)
        let id = try #require(try await peer.receive()?.firstMatch(of: /"id":([0-9]+),"method":"echo.say"/)?.1)
        try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
        #expect(try await call.value == "b")
    }

    private static func withClient(
        _ body: (RPCClient, WireListener, Changes, ManualClock) async throws -> Void
    ) async throws {
        let (changes, clock) = (Changes(), ManualClock())
        try await WireListener.with { listener in
            try await RPCClient.withConnection(
                to: listener.path, as: "test", executor: .timed(by: clock), onChange: changes.add
            ) { client in
                try await body(client, listener, changes, clock)
            }
        }
    }

    @Test func `a peer that answers neither a call nor a probe gets no more calls until it sends something`()
        async throws
    {
        try await Self.withClient { client, listener, changes, clock in
            let peer = try await listener.acceptGreeting()
            try await Self.timeOut(client, peer, clock, probe: 1)
            await clock.advance(by: Limits().probeTime)
            #expect(await changes.first(2) == [.appeared, .silent])
            #expect(changes.traces == [nil, Self.trace.id])
            let refused = await #expect(throws: RPCError.self) { try await Self.lateCall(client).value }
            #expect(refused?.kind == .unavailable && refused?.begun == false)
            #expect(refused?.message == "\(listener.path): it does not answer; tried again in the background")

            // Probes follow one another; no call after the circuit opened.
            #expect(try await peer.receive() == Self.probe(2))
            await clock.advance(by: TimeAmount(Backoff.first))
            #expect(try await peer.receive() == Self.probe(3))
            try await peer.send(#"{"jsonrpc":"2.0","id":-1,"result":{}}"#)
            #expect(await changes.first(3) == [.appeared, .silent, .returned(isNew: false)])
            try await Self.expectAnswer(client, peer)
        }
    }

    @Test func `a peer that answers the probe is merely slow: the circuit stays closed`() async throws {
        try await Self.withClient { client, listener, changes, clock in
            let peer = try await listener.acceptGreeting()
            for round in 1...3 {
                try await Self.timeOut(client, peer, clock, probe: round)
                try await peer.send(#"{"jsonrpc":"2.0","id":-\#(round),"result":{}}"#)
                // The answer to the probe was read if a later call is answered.
                try await Self.expectAnswer(client, peer)
                await clock.advance(by: Limits().probeTime)
            }
            #expect(changes.all == [.appeared])
        }
    }

    @Test func `a peer that accepts and never answers the greeting opens the circuit too`() async throws {
        try await Self.withClient { client, listener, changes, clock in
            let peer = try await listener.accept()
            #expect(try await peer.receive()?.contains("rpc.hello") == true)
            let call = Self.lateCall(client)
            await clock.advance(by: Self.timeout, once: 1)
            await Self.expectLate(call)
            #expect(try await peer.receive() == Self.probe(1))
            // Calls that wait for the greeting fail when the circuit opens.
            let waiting = callEcho(client)
            await clock.waitForTimer(in: Limits.defaultTimeout)
            await clock.advance(by: Limits().probeTime)
            let error = await #expect(throws: RPCError.self) { try await waiting.value }
            #expect(error?.kind == .unavailable && error?.begun == false)
            #expect(await changes.first(1) == [.silent])
            #expect(try await peer.receive() == Self.probe(2))

            try await peer.sendGreeting()
            #expect(await changes.first(2) == [.silent, .returned(isNew: false)])
            try await Self.expectAnswer(client, peer)
        }
    }
}
