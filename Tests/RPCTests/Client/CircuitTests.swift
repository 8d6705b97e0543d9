import NIOCore
import RPCTestKit
import Synchronization
import Testing

@testable import RPC

@Suite(.timeLimit(.minutes(5))) struct CircuitTests {
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

    private static let probe = #"{"jsonrpc":"2.0","id":-1,"method":"rpc.ping","params":{}}"#

    private static let trace = TraceContext.random()

    private static func timedOutCall(_ client: RPCClient) async {
        let error = await #expect(throws: RPCError.self) {
            try await client.call(
                EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(20), trace: trace))
        }
        #expect(error?.kind == .deadlineExceeded)
    }

    /// Calls until the circuit is open.
    private static func refusal(_ client: RPCClient) async throws -> RPCError {
        while true {
            do throws(RPCError) {
                _ = try await client.call(
                    EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(20), trace: trace))
            } catch {
                if error.kind != .deadlineExceeded { return error }
            }
        }
    }

    @Test func `a peer that answers neither a call nor a probe gets no more calls until it sends something`()
        async throws
    {
        try await WireListener.with { listener in
            let changes = Changes()
            try await Self.withClient(
                listener.path, probeTime: .milliseconds(50), onChange: changes.add
            ) { client in
                let peer = try await listener.acceptGreeting()
                // From now on, calls are sent when they are made.
                while await client.greeting() == nil { await Task.yield() }
                await Self.timedOutCall(client)
                let refused = try await Self.refusal(client)
                #expect(refused.kind == .unavailable && !refused.begun)
                #expect(refused.message == "\(listener.path): it does not answer; tried again in the background")
                #expect(changes.all == [.appeared, .silent])
                #expect(changes.traces == [nil, Self.trace.id])

                // The first call, its cancellation and the probe; no call after the circuit opened.
                var probes = 0
                while probes < 3, let text = try await peer.receive() {
                    if text.contains("rpc.ping") { probes += 1 }
                }
                try await peer.send(#"{"jsonrpc":"2.0","id":-1,"result":{}}"#)
                let answering = Task {
                    while let text = try await peer.receive() {
                        guard let id = text.firstMatch(of: /"id":([0-9]+),"method":"echo.say"/)?.1 else { continue }
                        try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
                    }
                }
                // Calls made before the answer to the probe is read are still refused.
                var answer: String?
                while answer == nil {
                    do {
                        answer = try await client.call(EchoContract.echo, .init(text: "again")).text
                    } catch let error as RPCError where error.kind == .unavailable && !error.begun {
                        await Task.yield()
                    }
                }
                #expect(answer == "b")
                #expect(changes.all == [.appeared, .silent, .returned(isNew: false)])
                answering.cancel()
                _ = await answering.result
            }
        }
    }

    @Test func `a peer that answers the probe is merely slow: the circuit stays closed`() async throws {
        try await WireListener.with { listener in
            let changes = Mutex<[PeerChange]>([])
            try await Self.withClient(
                listener.path, probeTime: .minutes(5),
                onChange: { change in changes.withLock { $0.append(change) } }
            ) { client in
                let peer = try await listener.acceptGreeting()
                while await client.greeting() == nil { await Task.yield() }
                for round in 1...3 {
                    await Self.timedOutCall(client)
                    var text = try await peer.receive()
                    while text?.contains("rpc.ping") == false { text = try await peer.receive() }
                    #expect(text == Self.probe.replacing("-1", with: "-\(round)"))
                    try await peer.send(#"{"jsonrpc":"2.0","id":-\#(round),"result":{}}"#)
                    // The answer to the probe was read if a later call is answered.
                    let call = callEcho(client)
                    text = try await peer.receive()
                    let id = try #require(text?.firstMatch(of: /"id":([0-9]+),"method":"echo.say"/)?.1)
                    try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
                    #expect(try await call.value == "b")
                }
                #expect(changes.withLock { $0 } == [.appeared])
            }
        }
    }

    @Test func `a peer that accepts and never answers the greeting opens the circuit too`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.accept()
                #expect(try await peer.receive()?.contains("rpc.hello") == true)
                await Self.timedOutCall(client)
                #expect(try await peer.receive() == Self.probe)
                // Calls that wait for the greeting fail when the circuit opens.
                let waiting = await #expect(throws: RPCError.self) {
                    try await client.call(EchoContract.echo, .init(text: "a"))
                }
                #expect(waiting?.kind == .unavailable && waiting?.begun == false)

                try await peer.sendGreeting()
                while await client.greeting() == nil { await Task.yield() }
                let call = callEcho(client)
                var text = try await peer.receive()
                while text?.contains("rpc.ping") == true { text = try await peer.receive() }
                let id = try #require(text?.firstMatch(of: /"id":([0-9]+),"method":"echo.say"/)?.1)
                try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
                #expect(try await call.value == "b")
            }
        }
    }

    /// A client that records the changes of its peer.
    private static func withClient(
        _ path: SocketPath, probeTime: TimeAmount, onChange: @escaping @Sendable (PeerChange) -> Void,
        _ body: (RPCClient) async throws -> Void
    ) async throws {
        var limits = Limits()
        limits.probeTime = probeTime
        let client = await RPCClient.make(to: path, as: "test", limits: limits, onChange: onChange)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            defer { group.cancelAll() }
            try await body(client)
        }
    }
}
