import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// Frames without an effect: protocol §4. Without a limit, a peer could send them for ever.
struct NoEffectTests {
    private static let rejection = "too many frames that have no effect"
    private static let limit = Limits.framesWithoutEffect

    @Test(arguments: [WireFrame.stop(1), .stop(7), .credit(1, 5), .credit(7, .max), .credit(1, 0)])
    func `100 grants or stops without an effect are ignored, and one more ends the connection`(
        frame: WireFrame
    ) async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(Array(repeating: frame, count: Self.limit))
            try await peer.expectAlive()
            try await peer.send(frame)
            try await peer.expectRejection(Self.rejection)
        }
    }

    /// The number, and the chunk that it has.
    @Test func `each number and each chunk that was sent explains one grant or stop that is late`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            for id in 1...10 {
                try await peer.send(blob("\(id)", 10))
                _ = try await peer.frames(2)
            }
            try await peer.send(Array(repeating: .credit(1, 1), count: Self.limit + 20))
            try await peer.expectAlive()
            try await peer.send(.stop(1))
            try await peer.expectRejection(Self.rejection)
        }
    }

    /// The number, and four chunks.
    @Test func `grants of no bytes have no effect, also for an open number`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(blob("1", 300_000))
            _ = try await peer.frames(5)
            try await peer.send(Array(repeating: .credit(1, 0), count: Self.limit + 5))
            try await peer.expectAlive()
            try await peer.send(.credit(1, 0))
            try await peer.expectRejection(Self.rejection)
        }
    }

    @Test(arguments: [WireFrame.Kind.chunk, .part])
    func `100 empty frames in a row are accepted, and one more ends the connection`(
        kind: WireFrame.Kind
    ) async throws {
        try await withPeer(of: ["bytes", "parts", "credit"]) { peer, _ in
            if kind == .chunk { try await peer.send(bytesRequest("1", [1, 2])) }
            let empty = Array(repeating: WireFrame(kind, 1), count: Self.limit)
            try await peer.send(empty + [WireFrame(kind, 1, [1])] + empty)
            try await peer.expectAlive()
            try await peer.send(WireFrame(kind, 1))
            try await peer.expectRejection(Self.rejection)
        }
    }

    @Test func `empty frames of a stopped number count too`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(.message(#"{"jsonrpc":"2.0","id":2,"method":"no.such","attachments":[1]}"#))
            _ = try await peer.frames(2)
            try await peer.send(Array(repeating: WireFrame(.chunk, 1), count: Self.limit))
            try await peer.expectAlive()
            try await peer.send(WireFrame(.chunk, 1))
            try await peer.expectRejection(Self.rejection)
        }
    }

    // MARK: Notifications of the protocol

    private static func cancel(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":\#(id)}}"#
    }

    private static func grant(_ id: Int, _ items: Int = 1) -> String {
        #"{"jsonrpc":"2.0","method":"rpc.grant","params":{"id":\#(id),"items":\#(items)}}"#
    }

    @Test(arguments: [cancel(7), grant(7), grant(7, 0), #"{"jsonrpc":"2.0","method":"rpc.cancel"}"#])
    func `100 cancellations or grants for unknown ids are ignored, and one more ends the connection`(
        notification: String
    ) async throws {
        try await withPeer { peer, _ in
            for _ in 1...Self.limit { try await peer.send(notification) }
            // This request explains one more.
            try await peer.expectAlive()
            for _ in 1...2 { try await peer.send(notification) }
            try await peer.expectRejection(Self.rejection)
        }
    }

    @Test func `each request explains one cancellation that is late`() async throws {
        try await withPeer { peer, _ in
            for id in 1...20 { #expect(try await peer.answer(to: request("\(id)", "rpc.ping")).error == nil) }
            for id in 1...Self.limit + 20 { try await peer.send(Self.cancel(id)) }
            try await peer.expectAlive()
            for id in 1...2 { try await peer.send(Self.cancel(id)) }
            try await peer.expectRejection(Self.rejection)
        }
    }

    /// The request, and five items.
    @Test func `each item of a stream explains one grant that is late`() async throws {
        try await withPeer { peer, _ in
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"echo.count","params":{"bytes":5},"meta":{"stream":true,"window":5}}"#
            )
            for _ in 1...6 { _ = try await peer.receive() }
            for _ in 1...Self.limit + 6 { try await peer.send(Self.grant(1)) }
            try await peer.expectAlive()
            for _ in 1...2 { try await peer.send(Self.grant(1)) }
            try await peer.expectRejection(Self.rejection)
        }
    }

    @Test func `cancellations of calls under way are not limited`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            for id in 1...2 * Self.limit {
                try await peer.send(waiting("\(id)", "\(id)"))
                #expect(try await peer.answer(to: Self.cancel(id)).error?.kind == .cancelled)
            }
            try await peer.expectAlive()
        }
    }

    // MARK: The client

    private static func client() throws -> TimedClient {
        let client = try TimedClient()
        try client.connectAndGreet(features: ["bytes", "parts", "credit"])
        return client
    }

    @Test func `a server that floods with grants is disconnected`() throws {
        let client = try Self.client()
        try client.send(Array(repeating: WireFrame.credit(1, 1), count: Self.limit).flatMap(\.bytes))
        #expect(client.isConnected)
        try client.send(WireFrame.credit(1, 1).bytes)
        #expect(!client.isConnected)
        #expect(client.changes.last == .violated(reason: "protocol violation: \(Self.rejection)"))
    }

    /// Aborts messages in parts, one after the other.
    private static func abort(_ numbers: Range<UInt32>, to client: TimedClient) throws {
        try client.send(numbers.flatMap { WireFrame(.part, $0, [1]).bytes + WireFrame.aborted($0, "").bytes })
    }

    @Test func `100 aborted messages a second are ignored, and one more ends the connection`() throws {
        let client = try Self.client()
        try Self.abort(1..<101, to: client)
        client.pass(.seconds(1))
        try Self.abort(101..<201, to: client)
        #expect(client.isConnected)
        try Self.abort(201..<202, to: client)
        #expect(!client.isConnected)
    }

    @Test func `an ended call explains one aborted message`() throws {
        let client = try Self.client()
        for _ in 1...20 { client.cancel(client.call("a")) }
        try Self.abort(1..<121, to: client)
        #expect(client.isConnected)
        try Self.abort(121..<122, to: client)
        #expect(!client.isConnected)
    }
}
