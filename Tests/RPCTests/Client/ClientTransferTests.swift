import Foundation
import RPC
import RPCTestKit
import Testing

/// Attachments of requests, and requests in parts: protocol §4, client side.
struct ClientTransferTests {
    private static let all = ["bytes", "parts", "credit"]

    private static func answer(_ id: Int, _ members: String, _ attachments: String = "[1]") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"data":{"$bytes":{\#(members)}}},"attachments":\#(attachments)}"#
    }

    private static func callBytes(_ client: RPCClient, _ count: Int, timeout: TimeInterval = 30) -> Task<
        [UInt8], any Error
    > {
        Task {
            let options = CallOptions(timeout: .nanoseconds(Int64(timeout * 1_000_000_000)))
            return Array(try await client.call(EchoContract.bytes, .of(count), options).data.data)
        }
    }

    @Test func `attachments of a request are sent as far as granted`() async throws {
        try await withWireServer { client, peer in
            let call = Self.callBytes(client, 400_000)
            let request = try #require(try await peer.receiveFrame())
            #expect(request.text.contains(#""$bytes":{"attachment":0,"size":400000,"crc32":"#))
            #expect(request.text.hasSuffix(#","attachments":[1]}"#))
            let bytes = Array(EchoContract.Blob.of(400_000).data.data)
            for frame in WireFrame.attachment(1, bytes).prefix(4) { try await peer.expect(frame) }
            try await expectAlive(client, peer, id: 2)
            try await peer.send(.credit(1, 200_000))
            for frame in WireFrame.attachment(1, bytes).dropFirst(4) { try await peer.expect(frame) }
            try await peer.send(Self.answer(1, #""base64":"YWJj""#, "[]"))
            #expect(try await call.value == Array("abc".utf8))
        }
    }

    /// Found in review: the limit was checked against the text before its attachment numbers were added.
    @Test func `a message with its attachment numbers stays within the receiver's limit`() async throws {
        var size = 0
        try await withWireServer { client, peer in
            let call = Self.callBytes(client, 3)
            size = try #require(try await peer.receiveFrame()).payload.count
            call.cancel()
            _ = await call.result
        }
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let call = Self.callBytes(client, 3)
                let peer = try await listener.acceptGreeting(frameBytes: size - 1, features: Self.all)
                await expectFailure(.tooLarge, of: call)
                try await expectAlive(client, peer, id: 2)
            }
        }
    }

    @Test func `a server that never grants stops only that call, which ends at its deadline`() async throws {
        let clock = ManualClock()
        try await withWireServer(executor: .timed(by: clock)) { client, peer in
            let call = Self.callBytes(client, 400_000, timeout: 2)
            let kinds = try await peer.frames(5).map(\.kind)
            #expect(kinds == [.message] + [WireFrame.Kind](repeating: .chunk, count: 4))
            await clock.advance(by: .seconds(2))
            await expectFailure(.deadlineExceeded, of: call)
            let echo = callEcho(client)
            var frames: [WireFrame] = []
            while frames.last?.text.contains("echo.say") != true { frames += try await peer.frames(1) }
            #expect(frames.contains { $0.kind == .aborted } && !frames.contains { $0.kind == .chunk })
            try await peer.send(#"{"jsonrpc":"2.0","id":2,"result":{"text":"b"}}"#)
            #expect(try await echo.value == "b")
        }
    }

    @Test func `a request in parts that the server stops has not begun, and is sent again`() async throws {
        try await withWireServer { client, peer in
            let call = Task {
                try await client.call(EchoContract.echo, .init(text: String(repeating: "x", count: 400_000))).text
            }
            #expect(try await peer.frames(4).allSatisfy { $0.kind == .part && $0.number == 1 })
            try await peer.send([
                .stop(1),
                .message(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"m","data":{"begun":false}}}"#),
            ])
            try await peer.expect(.aborted(1, "cancelled"))
            #expect(try await peer.frames(4).allSatisfy { $0.kind == .part && $0.number == 2 })
            try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
            #expect(try await call.value == "b")
        }
    }

    @Test func `a request in parts that is cancelled is never handled`() async throws {
        try await withWireServer { client, peer in
            let call = Task {
                try await client.call(EchoContract.echo, .init(text: String(repeating: "x", count: 400_000))).text
            }
            _ = try await peer.frames(4)
            call.cancel()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
            try await peer.expect(.aborted(1, "cancelled"))
            try await expectAlive(client, peer, id: 2)
        }
    }

    @Test func `an answer in parts over a client's limit is stopped, and its server may say so`() async throws {
        var limits = Limits()
        limits.assembledBytes = 4_096
        try await withWireServer(limits: limits) { client, peer in
            let call = callEcho(client)
            _ = try await peer.receive()
            try await peer.send(WireFrame(.part, 1, [UInt8](repeating: 0x20, count: 4_097)))
            try await peer.expect(.stop(1))
            try await peer.send([
                .aborted(1, "cancelled"),
                .message(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32007,"message":"m","data":{"begun":true}}}"#),
            ])
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .overloaded)
            try await expectAlive(client, peer, id: 2)
        }
    }
}
