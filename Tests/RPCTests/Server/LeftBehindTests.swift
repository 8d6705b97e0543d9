import RPCTestKit
import Testing

@testable import RPC

/// However calls, streams, attachments and connections end, they leave nothing behind.
struct LeftBehindTests {
    enum Ending: CaseIterable {
        case finished, cancelled, deadline, peersClose, halfClosed, badFrame, killed, drained, clientStops
    }

    /// Leaves work of every kind unfinished: a waiting call, a stream that waits for a grant, a call without all its
    /// attachments, a message without its last part, an answer in parts and one with attachments that wait for credit,
    /// a stopped transfer, a batch and a notification.
    private static func everything(_ meta: String) -> [WireFrame] {
        [
            .message(waiting("1", "call", meta: meta)),
            .message(
                #"{"jsonrpc":"2.0","id":2,"method":"echo.count","params":{"bytes":9},"meta":{"stream":true,"window":1}}"#
            ),
            .message(bytesRequest("3", [1, 2, 3], attachments: "[1,2]", meta: meta)),
            WireFrame(.lastChunk, 1, [1, 2, 3]),
            WireFrame(.chunk, 2, [1]), WireFrame(.part, 3, [0x7B]), .message(grow("4", 300_000, meta: meta)),
            .message(blob("5", 300_000)), .message(#"{"jsonrpc":"2.0","id":6,"method":"no.such","attachments":[4]}"#),
            .message("[\(waiting("7", "batch", meta: meta)),\(waiting("8", "batch", meta: meta))]"),
            .message(#"{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"notification"}}"#),
            // Answered last, when the server has read everything.
            .message(request("9", "echo.say", #"{"text":"seen"}"#)),
        ]
    }

    private static func run(
        _ ending: Ending, _ clock: ManualClock, _ executor: LoopExecutor, _ witness: Witness
    ) async throws {
        let gate = Gate()
        var table = EchoContract.table(gate)
        table.handle(EchoContract.echo) { params, context in
            _ = await context.connection?.look { witness.see($0) }
            return params
        }
        try await TestServer.with(table, executor: executor) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.greet(["bytes", "parts", "credit"])
            try await peer.send(everything(ending == .deadline ? #"{"timeout_ms":50}"# : "{}"))
            try await receive(#"{"jsonrpc":"2.0","id":9"#, from: peer)
            if ending == .deadline {
                await clock.advance(by: .milliseconds(50))
                // The batch's answer is the last one that its deadline causes.
                try await receive("[", from: peer)
            }

            let client = await RPCClient.make(to: server.path, as: "test", executor: executor)
            let running = Task { await client.run() }
            let calls = [
                Task { _ = try await client.call(EchoContract.wait, .init(text: "client")) },
                Task {
                    try await client.withStream(EchoContract.follow, .init(text: "stream")) { items in
                        for try await _ in items {}
                    }
                },
            ]
            var arrived: Set<String> = []
            while !arrived.isSuperset(of: ["client", "stream 0"]) { arrived.insert(try #require(await gate.arrival())) }
            client.core.onLoop { witness.see($0, calls: 1...2) }
            try await client.expectEcho()

            try await end(ending, clock, peer, server, gate, running, calls)
            running.cancel()
            for call in calls { _ = await call.result }
            await running.value
            server.kill()
            await server.ended()
            _ = await peer.rest()
        }
    }

    /// Receives frames up to a message that begins like this.
    private static func receive(_ beginning: String, from peer: WirePeer) async throws {
        while let frame = try await peer.receiveFrame(), !frame.text.hasPrefix(beginning) {}
    }

    private static func end(
        _ ending: Ending, _ clock: ManualClock, _ peer: WirePeer, _ server: TestServer, _ gate: Gate,
        _ running: Task<Void, Never>, _ calls: [Task<Void, any Error>]
    ) async throws {
        switch ending {
        case .finished:
            for name in ["call", "batch", "notification", "client"] { gate.open(name) }
            _ = await calls[0].result
        case .cancelled:
            for id in 1...8 { try await peer.send(cancel("\(id)")) }
            for call in calls { call.cancel() }
        case .deadline: break
        case .peersClose: try await peer.close()
        case .halfClosed: try await peer.finishSending()
        case .badFrame:
            try await peer.send([9, 9, 9, 9])
            _ = await peer.rest()
        case .killed: server.kill()
        case .drained:
            server.stop()
            try await receive(#"{"jsonrpc":"2.0","method":"rpc.draining""#, from: peer)
            await clock.advance(by: Limits().drainTime + Limits().discardTime)
            await server.ended()
        case .clientStops: running.cancel()
        }
    }

    @Test(arguments: Ending.allCases) func `no object, no connection and no byte is left`(ending: Ending) async throws {
        // A loop of its own, so that other tests do not affect its budget.
        let clock = ManualClock()
        let executor = LoopExecutor.separate(timedBy: clock)
        let witness = Witness()
        for _ in 0..<5 { try await Self.run(ending, clock, executor, witness) }
        #expect(
            witness.seen.isSuperset(of: [
                "ServerConnection", "ServerCore", "Transport", "FrameWriter", "SocketChannel", "Call", "ServerStream",
                "IncomingAttachments", "OutgoingMessage", "ClientCore", "ClientConnection", "ClientCall",
                "ClientStream",
            ]) || ending == .deadline)
        // Timers of the server refer to it until they fire.
        await clock.advance(by: .hours(1))
        // The tasks of handlers are freed on other threads; no event tells when. What outlasts this suite's time limit is a leak.
        try await eventually { witness.left.isEmpty }
        #expect(await executor.assembledBytes() == 0)
    }
}
