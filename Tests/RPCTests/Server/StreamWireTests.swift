import RPC
import RPCTestKit
import Testing

/// Streams byte for byte: protocol §4, *Streams*.
struct StreamWireTests {
    private static func count(_ id: String, _ items: Int, _ meta: String = #"{"stream":true}"#) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"echo.count","params":{"bytes":\#(items)},"meta":\#(meta)}"#
    }

    private static func follow(_ id: String, _ name: String, _ meta: String = #"{"stream":true}"#) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"echo.follow","params":{"text":"\#(name)"},"meta":\#(meta)}"#
    }

    private static func item(_ id: String, _ text: String) -> WireFrame {
        .message(#"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":\#(id),"item":{"text":"\#(text)"}}}"#)
    }

    private static func end(_ id: String, _ items: Int) -> WireFrame {
        .message(#"{"jsonrpc":"2.0","id":\#(id),"result":{"items":\#(items)}}"#)
    }

    private static func grant(_ id: String, _ items: String) -> String {
        #"{"jsonrpc":"2.0","method":"rpc.grant","params":{"id":\#(id),"items":\#(items)}}"#
    }

    @Test(arguments: [0, 1, 3, 15, 16]) func `items carry the id of their call; the result is their count`(
        count: Int
    ) async throws {
        try await withPeer { peer, _ in
            for id in ["1", #""\u0061""#] {
                try await peer.send(Self.count(id, count))
                for number in 0..<count { try await peer.expect(Self.item(id, "\(number)")) }
                try await peer.expect(Self.end(id, count))
            }
            try await peer.expectAlive()
        }
    }

    @Test(arguments: [(nil, 16), (1, 1), (2, 2), (1_024, 1_024)] as [(Int?, Int)])
    func `a server sends as many items as the window, and as many more as the caller grants`(
        window: Int?, granted: Int
    ) async throws {
        let meta = window.map { #"{"stream":true,"window":\#($0)}"# } ?? #"{"stream":true}"#
        try await withPeer { peer, _ in
            try await peer.send(Self.count("1", granted + 5, meta))
            for number in 0..<granted { try await peer.expect(Self.item("1", "\(number)")) }
            try await peer.expectAlive()
            try await peer.send(Self.grant("1", "3"))
            for number in granted..<granted + 3 { try await peer.expect(Self.item("1", "\(number)")) }
            try await peer.expectAlive()
            try await peer.send(Self.grant("1", "1"))
            try await peer.expect(Self.item("1", "\(granted + 3)"))
            try await peer.send(Self.grant("1", "1000"))
            try await peer.expect(Self.item("1", "\(granted + 4)"), Self.end("1", granted + 5))
        }
    }

    @Test(arguments: ["0", "1025", "-1", "1.5", #""1""#])
    func `a window out of range is invalid_params`(window: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: Self.count("1", 3, #"{"stream":true,"window":\#(window)}"#))
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message.hasPrefix("meta.window") == true)
            try await peer.expectAlive()
        }
    }

    @Test func `invalid grants, or grants for unknown streams, do nothing`() async throws {
        try await withPeer { peer, _ in
            try await peer.send(Self.count("1", 3, #"{"stream":true,"window":1}"#))
            try await peer.expect(Self.item("1", "0"))
            for items in ["0", "-1", "1025", "1024.5", "null"] { try await peer.send(Self.grant("1", items)) }
            for id in ["2", #""1""#, "null"] { try await peer.send(Self.grant(id, "1")) }
            try await peer.expectAlive()
            try await peer.send(Self.grant("1", "1"))
            try await peer.expect(Self.item("1", "1"))
        }
    }

    @Test func `meta·stream is required for streams and refused for other methods`() async throws {
        try await withPeer { peer, _ in
            for (text, kind, message) in [
                (
                    Self.count("1", 3, "{}"), ErrorKind.invalidParams,
                    "meta.stream: must be true, echo.count answers with a stream"
                ),
                (
                    Self.count("1", 3, #"{"stream":false}"#), .invalidParams,
                    "meta.stream: must be true, echo.count answers with a stream"
                ),
                (
                    #"{"jsonrpc":"2.0","id":1,"method":"echo.say","params":{"text":"a"},"meta":{"stream":true}}"#,
                    .invalidParams, "meta.stream: must not be true, echo.say answers once"
                ),
                (
                    #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","meta":{"stream":true}}"#, .invalidParams,
                    "meta.stream: must not be true, rpc.ping answers once"
                ),
            ] {
                let answer = try await peer.answer(to: text)
                #expect(answer.id == "1")
                #expect(answer.error?.kind == kind)
                #expect(answer.error?.message == message)
                #expect(answer.error?.begun == false)
            }
            try await peer.expectAlive()
        }
    }

    @Test func `a stream in a batch is refused, the other members are answered`() async throws {
        try await withPeer { peer, _ in
            let answers = try await peer.answers(to: "[\(Self.count("1", 3)),\(request("2", "rpc.ping"))]")
            #expect(answers.map(\.id) == ["1", "2"])
            #expect(answers.map(\.error?.kind) == [.invalidRequest, nil])
            try await peer.expectAlive()
        }
    }

    @Test func `a stream without an id is not started`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(
                #"{"jsonrpc":"2.0","method":"echo.follow","params":{"text":"never"},"meta":{"stream":true}}"#)
            try await peer.send(waiting("1", "seen"))
            #expect(await gate.arrival() == "seen")
            gate.open("seen")
            #expect(try await peer.answer().id == "1")
        }
    }

    // MARK: Ended early

    @Test func `a stream that is cancelled ends at once, and no item follows`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(Self.follow("1", "a"))
            gate.open("a 0")
            try await peer.expect(Self.item("1", "0"))
            #expect(await gate.arrival() == "a 0")
            #expect(await gate.arrival() == "a 1")
            try await peer.send(cancel("1"))
            let answer = try await peer.answer()
            #expect(answer.id == "1" && answer.error?.kind == .cancelled && answer.error?.begun == true)
            #expect(await gate.cancellation() == "a 1")
            gate.open("a 1")
            try await peer.expectAlive()
        }
    }

    @Test func `a stream that waits for a grant can be cancelled`() async throws {
        try await withPeer { peer, _ in
            try await peer.send(Self.count("1", 3, #"{"stream":true,"window":1}"#))
            try await peer.expect(Self.item("1", "0"))
            #expect(try await peer.answer(to: cancel("1")).error?.kind == .cancelled)
            try await peer.send(Self.grant("1", "1"))
            try await peer.expectAlive()
        }
    }

    @Test func `a stream has no deadline unless its caller says so`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        try await withPeer(gate: gate, executor: .timed(by: clock)) { peer, _ in
            try await peer.send(Self.follow("1", "a"))
            #expect(await gate.arrival() == "a 0")
            // A call made now has a deadline after which the stream continues.
            try await peer.send(waiting("2", "b"))
            #expect(await gate.arrival() == "b")
            await clock.advance(by: Limits.defaultTimeout)
            #expect(try await peer.answer().error?.kind == .deadlineExceeded)
            gate.open("a 0")
            try await peer.expect(Self.item("1", "0"))
            #expect(await gate.arrival() == "a 1")
            try await peer.send(Self.follow("3", "c", #"{"stream":true,"timeout_ms":50}"#))
            #expect(await gate.arrival() == "c 0")
            await clock.advance(by: .milliseconds(50))
            let answer = try await peer.answer()
            #expect(answer.id == "3" && answer.error?.kind == .deadlineExceeded)
        }
    }

    @Test func `draining ends streams with retryable unavailable, and calls under way finish`() async throws {
        let gate = Gate()
        // A server that drains waits a moment before it ends.
        try await withPeer(of: [], gate: gate, executor: .shared) { peer, server in
            try await peer.send(Self.follow("1", "a"))
            #expect(await gate.arrival() == "a 0")
            try await peer.send(waiting("2", "b"))
            #expect(await gate.arrival() == "b")
            server.stop()
            try await peer.expect(.message(#"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#))
            let text = try #require(try await peer.receive())
            #expect(text.contains(#""retryable":true"#))
            let answer = try Answer(text)
            #expect(answer.id == "1" && answer.error?.kind == .unavailable && answer.error?.begun == true)
            gate.open("b")
            #expect(try await peer.answer().result == #"{"text":"b"}"#)
            #expect(await peer.rest() == [])
            await server.ended()
        }
    }

    @Test func `an item that is too large ends the stream, naming the limit`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.greet([], frameBytes: 1_000)
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"echo.blobs","params":{"bytes":1000},"meta":{"stream":true}}"#)
            let answer = try await peer.answer()
            #expect(answer.id == "1" && answer.error?.kind == .tooLarge)
            #expect(answer.error?.message.contains("1000 bytes") == true)
        }
    }

    @Test func `large items come in order, one after the other, and small answers between their parts`() async throws {
        try await withPeer(of: ["parts", "credit"]) { peer, _ in
            // In base64, each is larger than one window.
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"echo.blobs","params":{"bytes":200000},"meta":{"stream":true}}"#)
            for number in UInt32(1)...5 {
                var text = try await peer.frames(4).flatMap(\.body)
                try await peer.expectAlive()
                try await peer.send(.credit(number, 100_000))
                let last = try #require(try await peer.receiveFrame())
                #expect(last.kind == .lastPart && last.number == number)
                text += last.body
                #expect(String(decoding: text, as: UTF8.self).contains(#""size":\#(199_999 + Int(number)),"#))
            }
            try await peer.expect(Self.end("1", 5))
        }
    }
}
