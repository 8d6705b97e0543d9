import Foundation
import RPC
import RPCTestKit
import Testing

/// Attachments of answers, and how a client announces that it takes them: protocol §4, client side.
struct ClientAttachmentTests {
    private static let all = ["bytes", "parts", "credit"]

    private static func answer(_ id: Int, _ members: String, _ attachments: String = "[1]") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"data":{"$bytes":{\#(members)}}},"attachments":\#(attachments)}"#
    }

    private static func callBlob(_ client: RPCClient, timeout: Int64 = 30) -> Task<[UInt8], any Error> {
        Task {
            let options = CallOptions(timeout: .seconds(timeout))
            return Array(try await client.call(EchoContract.blob, .init(bytes: 3), options).data.data)
        }
    }

    @Test func `a client accepts attachments only for methods that have some, and assembles them`()
        async throws
    {
        try await withWireServer { client, peer in
            let call = Self.callBlob(client)
            let request = try #require(try await peer.receive())
            #expect(
                request.hasPrefix(
                    #"{"jsonrpc":"2.0","id":1,"method":"echo.blob","params":{"bytes":3},"meta":{"timeout_ms":"#))
            #expect(request.hasSuffix(#","attachments":true}}"#))
            try await peer.send(Self.answer(1, #""attachment":0,"size":3,"crc32":891568578"#))
            try await peer.send([WireFrame(.chunk, 1, "ab".utf8), WireFrame(.lastChunk, 1, "c".utf8)])
            #expect(try await call.value == Array("abc".utf8))
            let echo = callEcho(client)
            #expect(try await peer.receive()?.contains("attachments") == false)
            try await peer.send(#"{"jsonrpc":"2.0","id":2,"result":{"text":"b"}}"#)
            _ = try await echo.value
        }
    }

    @Test(
        arguments: [
            #""attachment":0,"size":4"#, #""attachment":0,"crc32":1"#, #""attachment":1"#, #""size":3"#,
            #""attachment":0,"base64":"YWJj""#, #""base64":"YWJj","crc32":1"#,
        ])
    func `bytes that do not match their description are invalid data, and the connection lives`(
        members: String
    ) async throws {
        try await withWireServer { client, peer in
            let call = Self.callBlob(client)
            _ = try await peer.receive()
            try await peer.send([.message(Self.answer(1, members))] + WireFrame.attachment(1, Array("abc".utf8)))
            await expectFailure(.invalidData, of: call)
            try await expectAlive(client, peer, id: 2)
        }
    }

    @Test func `without negotiated attachments, the member is ignored`() async throws {
        try await withWireServer(["parts"]) { client, peer in
            let call = Self.callBlob(client)
            _ = try await peer.receive()
            try await peer.send(Self.answer(1, #""base64":"YWJj""#, #""whatever""#))
            #expect(try await call.value == Array("abc".utf8))
        }
    }

    @Test(arguments: [
        ("deadline_exceeded", ErrorKind.deadlineExceeded), ("cancelled", .cancelled), ("its own words", .unavailable),
    ])
    func `an answer whose attachment is aborted fails with the reason, and the connection lives`(
        reason: String, kind: ErrorKind
    ) async throws {
        try await withWireServer { client, peer in
            let call = Self.callBlob(client)
            _ = try await peer.receive()
            try await peer.send([
                .message(Self.answer(1, #""attachment":0"#)), WireFrame(.chunk, 1, [1]), .aborted(1, reason),
            ])
            await expectFailure(kind, of: call)
            try await expectAlive(client, peer, id: 2)
        }
    }

    @Test(
        arguments: [
            [WireFrame(.chunk, 2)], [WireFrame(.part, 1)], [.aborted(7, "")],
            [WireFrame(kind: .compressed, payload: [])],
            [WireFrame(.lastChunk, 1, []), WireFrame(.chunk, 1)],
            [.credit(1, 1), WireFrame(kind: .credit, payload: [0])],
        ])
    func `frames that break the rules end the connection, and its calls are invalid data`(
        frames: [WireFrame]
    ) async throws {
        try await withWireServer { client, peer in
            let blob = Self.callBlob(client)
            _ = try await peer.receive()
            let echo = callEcho(client)
            _ = try await peer.receive()
            try await peer.send([.message(Self.answer(1, #""attachment":0"#))] + frames)
            let error = await #expect(throws: RPCError.self) { try await echo.value }
            #expect(error?.kind == .invalidData)
            #expect(error?.message.contains("protocol violation: ") == true)
            // The bytes may have been complete before.
            if frames.first?.kind != .lastChunk { await expectFailure(.invalidData, of: blob) }
        }
    }

    @Test func `more than was granted ends the connection`() async throws {
        try await withWireServer { client, peer in
            let echo = callEcho(client)
            _ = try await peer.receive()
            // An unwanted attachment gets no grants.
            try await peer.send(#"{"jsonrpc":"2.0","method":"rpc.news","params":{},"attachments":[1]}"#)
            try await peer.expect(.stop(1))
            try await peer.send(
                (0..<4).map { _ in WireFrame(.chunk, 1, [UInt8](repeating: 0, count: 65_536)) } + [
                    WireFrame(.chunk, 1, [0])
                ])
            let error = await #expect(throws: RPCError.self) { try await echo.value }
            #expect(error?.kind == .invalidData)
            #expect(error?.message.hasSuffix("number 1: more bytes than were granted") == true)
        }
    }

    @Test func `a cancelled call stops the attachments of its answer, and is cancelled at the server`() async throws {
        try await withWireServer { client, peer in
            let call = Self.callBlob(client)
            _ = try await peer.receive()
            try await peer.send([.message(Self.answer(1, #""attachment":0"#)), WireFrame(.chunk, 1, [1])])
            // The first answer has been read once the next one has.
            try await expectAlive(client, peer, id: 2)
            call.cancel()
            await expectFailure(.cancelled, of: call)
            try await peer.expect(.stop(1), .message(cancel("1")))
            try await peer.send([WireFrame(.chunk, 1, [1]), .aborted(1, "cancelled")])
            try await expectAlive(client, peer, id: 3)
        }
    }

    @Test func `attachments for a call that has ended are stopped`() async throws {
        try await withWireServer { client, peer in
            try await peer.send(Self.answer(99, #""attachment":0"#))
            try await peer.expect(.stop(1))
            try await peer.send(.aborted(1, ""))
            try await expectAlive(client, peer, id: 1)
        }
    }

    @Test func `an idempotent call whose connection is lost during the attachments of its answer is sent again`()
        async throws
    {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.acceptGreeting(features: Self.all)
                let call = Self.callBlob(client)
                _ = try await peer.receive()
                try await peer.send([.message(Self.answer(1, #""attachment":0"#)), WireFrame(.chunk, 1, [1])])
                try await peer.close()
                let next = try await listener.acceptGreeting(features: Self.all)
                #expect(try await next.receive()?.contains("echo.blob") == true)
                try await next.send([.message(Self.answer(1, #""attachment":0"#)), WireFrame(.lastChunk, 1, [2, 3])])
                #expect(try await call.value == [2, 3])
            }
        }
    }
}
