import RPC
import RPCTestKit
import Testing

struct HelloTests {
    private static func hello(_ params: String) -> String { request("1", "rpc.hello", params) }

    @Test(
        arguments: [
            (#"{"protocols":[1]}"#, ""),
            (
                #"{"protocols":[1],"client":{"name":"a","version":"1"},"features":[],"limits":{"frame_bytes":8388608}}"#,
                ""
            ),
            (#"{"protocols":[3,2,1],"features":["parts","bytes","what the future brings"]}"#, #""bytes","parts""#),
            (#"{"protocols":[1],"features":["zlib","credit"]}"#, #""credit","zlib""#),
            (#"{"protocols":[1],"limits":{}}"#, ""),
            (#"{"protocols":[1],"new":1,"client":{"name":"a","version":"1","new":1}}"#, ""),
        ])
    func `a greeting is answered with version, service, contracts, common features and limits`(
        params: String, features: String
    ) async throws {
        try await withPeer { peer, _ in
            try await peer.expect(
                """
                {"jsonrpc":"2.0","id":1,"result":{"protocol":1,\
                "service":{"name":"test","version":"1.0","instance":"test-instance"},"contracts":{"echo":1},\
                "features":[\(features)],"limits":{"frame_bytes":8388608,"calls_per_connection":4096,\
                "calls_per_process":16384,"connections":4096,"default_timeout_ms":30000,"queued_bytes":16777216,\
                "queued_bytes_per_process":268435456,"assembled_bytes":33554432,\
                "assembled_bytes_per_process":268435456,"open_transfers":64,\
                "frame_timeout_ms":30000,"write_timeout_ms":30000,"deaf_time_ms":1000,"discarded_bytes":16777216,\
                "discard_time_ms":1000}}}
                """, to: Self.hello(params))
            try await peer.expectAlive()
        }
    }

    @Test func `the limits in force are reported, each under its name`() async throws {
        var limits = Limits()
        for (index, setting) in Limits.settings.enumerated() { limits[setting] = setting.allowed.lowerBound + index }
        // A frame limit that is just large enough for a greeting.
        limits.connections = 1
        try await withPeer(limits: limits) { peer, _ in
            let answer = try await peer.answer(to: Self.hello(#"{"protocols":[1]}"#))
            let result = try #require(answer.result)
            for setting in Limits.settings { #expect(result.contains(#""\#(setting.name)":\#(limits[setting])"#)) }
            #expect(Set(Limits.settings.map(\.name)).count == Limits.settings.count)
        }
    }

    @Test func `a late or repeated greeting is an invalid request`() async throws {
        try await withPeer { peer, server in
            let greeting = Self.hello(#"{"protocols":[1]}"#)
            try await peer.expectAlive()
            let error = try await peer.answer(to: greeting).error
            #expect(error?.kind == .invalidRequest)
            #expect(error?.begun == false)
            try await peer.expectAlive()

            let other = try await WirePeer.connect(to: server.path)
            #expect(try await other.answer(to: greeting).error == nil)
            #expect(try await other.answer(to: greeting).error?.kind == .invalidRequest)
            try await other.expectAlive()

            let third = try await WirePeer.connect(to: server.path)
            #expect(try await third.answer(to: "not JSON").error?.kind == .parseError)
            #expect(try await third.answer(to: greeting).error?.kind == .invalidRequest)
        }
    }

    @Test func `without a common version, the error lists both sides' versions, and plain calls work`() async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: Self.hello(#"{"protocols":[2,7]}"#))
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.details?.description == #"{"client":[2,7],"server":[1]}"#)
            #expect(answer.error?.begun == false)
            try await peer.expectAlive()
        }
    }

    @Test(
        arguments: [
            ("{}", "params.protocols: is missing"), (#"{"protocols":1}"#, "params.protocols: must be an array"),
            (#"{"protocols":[]}"#, "params.protocols: must have at least 1 elements"),
            (#"{"protocols":["1"]}"#, "params.protocols[0]: must be an integer"),
            (#"{"protocols":[1],"client":{}}"#, "params.client.name: is missing"),
            (
                #"{"protocols":[1],"limits":{"frame_bytes":0}}"#,
                "params.limits.frame_bytes: must be from 1 to 9223372036854775807, is 0"
            ),
        ])
    func `a greeting that does not fit is refused by path`(params: String, message: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: Self.hello(params))
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message == message)
            try await peer.expectAlive()
        }
    }

    @Test func `a peer that sends no rpc·hello is served`() async throws {
        try await withPeer { peer, _ in try await peer.expectAlive() }
    }

    @Test func `an answer over the client's message limit is refused`() async throws {
        try await withPeer { peer, _ in
            #expect(
                try await peer.answer(to: Self.hello(#"{"protocols":[1],"limits":{"frame_bytes":1000}}"#)).error == nil)
            let overhead = #"{"jsonrpc":"2.0","id":1,"result":{"text":""}}"#.utf8.count
            try await peer.send(request("1", "echo.grow", #"{"bytes":\#(1_000 - overhead)}"#))
            #expect(try await peer.receive()?.utf8.count == 1_000)
            let answer = try await peer.answer(to: request("1", "echo.grow", #"{"bytes":\#(1_001 - overhead)}"#))
            #expect(answer.error?.kind == .tooLarge)
            #expect(answer.error?.message.contains("1001 bytes") == true)
            #expect(answer.error?.message.contains("1000 bytes") == true)
            try await peer.expectAlive()
        }
    }
}
