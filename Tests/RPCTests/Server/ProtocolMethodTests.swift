import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

struct ProtocolMethodTests {
    @Test func `rpc·ping takes no parameters and has an empty result`() async throws {
        try await withPeer { peer, _ in
            try await peer.expect(#"{"jsonrpc":"2.0","id":1,"result":{}}"#, to: request("1", "rpc.ping"))
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{}}"#, to: #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}"#)
            #expect(try await peer.answer(to: request("1", "rpc.ping", #"{"a":1}"#)).error?.kind == .invalidParams)
        }
    }

    @Test func `rpc·describe lists contracts with methods, schemas and errors`() async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: request("1", "rpc.describe"))
            let result = try RawJSON(checking: try #require(answer.result)).read(as: ServiceDescription.codec)
            #expect(result.service == ServiceIdentity(name: "test", version: "1.0", instance: "test-instance"))
            #expect(result.contracts.map(\.name) == ["echo"])
            #expect(result.contracts.first?.methods == EchoContract.contract.methods)
            let fail = try #require(result.contracts.first?.methods.first { $0.name == "echo.fail" })
            #expect(fail.errors == [.notFound])
            #expect(
                fail.params.description == """
                    {"type":"object","properties":{"text":{"type":"string"},"count":{"minimum":1,"maximum":100,\
                    "type":["integer","null"]}},"required":["text"],"additionalProperties":false}
                    """)
        }
    }

    @Test(arguments: ["rpc.describe", "rpc.health"])
    func `a service accepts only its own name`(method: String) async throws {
        try await withPeer { peer, _ in
            #expect(try await peer.answer(to: request("1", method, #"{"service":"test"}"#)).error == nil)
            #expect(try await peer.answer(to: request("1", method, #"{"service":null}"#)).error == nil)
            let answer = try await peer.answer(to: request("1", method, #"{"service":"other"}"#))
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message == "params.service: must be test or absent")
        }
    }

    @Test(
        arguments: [
            ([], "serving"), ([.serving], "serving"), ([.serving, .degraded], "degraded"), ([.draining], "degraded"),
        ] as [([Health.Status], String)])
    func `rpc·health reports the status of the worst check`(statuses: [Health.Status], status: String) async throws {
        let checks = statuses.map { Health.Check(name: "store", status: $0, since: Date(timeIntervalSince1970: 0)) }
        try await TestServer.with(EchoContract.table, health: { checks }) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let texts = statuses.map {
                #"{"name":"store","status":"\#($0.rawValue)","since":"1970-01-01T00:00:00Z"}"#
            }
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{"status":"\#(status)","checks":[\#(texts.joined(separator: ","))]}}"#,
                to: request("1", "rpc.health"))
        }
    }
}
