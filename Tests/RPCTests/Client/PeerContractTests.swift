import RPCTestKit
import Synchronization
import Testing

@testable import RPC

/// A client that requires contracts of its peer.
struct PeerContractTests {
    private static func withClient(
        contracts: [String: ContractVersions],
        _ body: (RPCClient, _ changes: @Sendable () -> [PeerChange]) async throws -> Void
    ) async throws {
        let changes = Changes()
        try await TestServer.with(EchoContract.table) { server in
            let client = await RPCClient.make(
                to: server.path, as: "test", peerName: "echo.sock", contracts: contracts, onChange: changes.add)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                defer { group.cancelAll() }
                try await body(client) { changes.all }
            }
        }
    }

    @Test func `a peer with all required contracts gets calls`() async throws {
        try await Self.withClient(contracts: ["echo": 1]) { client, changes in
            try await client.expectEcho()
            #expect(changes() == [.appeared])
        }
    }

    @Test func `a contract may have any version of a range`() async throws {
        try await Self.withClient(contracts: ["echo": ContractVersions(1...2)]) { client, _ in
            try await client.expectEcho()
        }
        try await Self.withClient(contracts: ["echo": ContractVersions(2...3)]) { client, _ in
            let error = await #expect(throws: RPCError.self) { try await client.expectEcho() }
            #expect(error?.message == "echo.sock: it does not offer echo 2 to 3; it offers echo 1")
        }
    }

    @Test(arguments: [["echo": 2], ["echo": 1, "likes": 3]] as [[String: ContractVersions]])
    func `a peer without a required contract gets only rpc.* calls`(
        contracts: [String: ContractVersions]
    ) async throws {
        try await Self.withClient(contracts: contracts) { client, changes in
            let missing = (contracts["likes"].map { "likes \($0)" } ?? "echo 2") + "; it offers echo 1"
            for _ in 0..<2 {
                let error = await #expect(throws: RPCError.self) { try await client.expectEcho() }
                #expect(error?.kind == .unavailable && error?.begun == false)
                #expect(error?.message == "echo.sock: it does not offer \(missing)")
            }
            _ = try await client.call(ProtocolMethods.ping, Empty())
            let described = try await client.call(ProtocolMethods.describe, ServiceSelection())
            #expect(described.contracts.map(\.name) == ["echo"])
            #expect(changes() == [.appeared, .incompatible(reason: "echo.sock: it does not offer \(missing)")])
        }
    }

    @Test func `a peer that is this process gets no call at all`() async throws {
        let changes = Changes()
        try await TestServer.with(EchoContract.table) { server in
            let client = await RPCClient.make(
                to: server.path, as: "test", peerName: "echo.sock", ownInstance: "test-instance", onChange: changes.add)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                defer { group.cancelAll() }
                let reason = "echo.sock: it is this process itself, so every call would come back"
                let error = await #expect(throws: RPCError.self) {
                    try await client.call(ProtocolMethods.ping, Empty())
                }
                #expect(error?.kind == .unavailable && error?.begun == false && error?.message == reason)
                #expect(changes.all == [.incompatible(reason: reason)])
            }
        }
    }

    @Test(arguments: [
        (
            #""error":{"code":-32600,"message":"no","data":{"kind":"invalid_request","details":{"client":[1],"server":[2,3]}}}"#,
            "it speaks versions [2, 3] of the protocol; this client speaks [1]"
        ),
        (
            #""result":{"protocol":2,"service":{"name":"a","version":"1","instance":"1"},"contracts":{},"features":[],"#
                + #""limits":{"frame_bytes":1000}}"#,
            "it answers in version 2 of the protocol; this client speaks [1]"
        ),
    ])
    func `a peer of another version of the protocol is incompatible, and both versions are named`(
        answer: String, reason: String
    ) async throws {
        try await WireListener.with { listener in
            let changes = Changes()
            let client = await RPCClient.make(
                to: listener.path, as: "test", peerName: "wire.sock", onChange: changes.add)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                defer { group.cancelAll() }
                let call = callEcho(client)
                let peer = try await listener.accept()
                _ = try await peer.receive()
                try await peer.send(#"{"jsonrpc":"2.0","id":0,\#(answer)}"#)
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .unavailable && error?.message == "wire.sock: \(reason)")
                #expect(changes.all == [.incompatible(reason: "wire.sock: \(reason)")])
            }
        }
    }

    @Test func `a peer that breaks the protocol is reported once, and its call fails`() async throws {
        try await WireListener.with { listener in
            let changes = Changes()
            let client = await RPCClient.make(to: listener.path, as: "test", onChange: changes.add)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                defer { group.cancelAll() }
                let trace = TraceContext.random()
                let call = Task {
                    try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(trace: trace)).text
                }
                let peer = try await listener.acceptGreeting()
                _ = try await peer.receive()
                try await peer.send("this is no answer")
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .invalidData)
                #expect(changes.all.count == 2 && changes.all.first == .appeared)
                #expect("\(changes.all)".contains("protocol violation"))
                #expect(changes.traces == [nil, trace.id])
            }
        }
    }

    @Test func `a plain peer, which says nothing about contracts, gets calls`() async throws {
        try await WireListener.with { listener in
            let client = await RPCClient.make(to: listener.path, as: "test", contracts: ["echo": 1])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                defer { group.cancelAll() }
                let peer = try await listener.accept()
                _ = try await peer.receive()
                try await peer.send(
                    #"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"none","data":{"kind":"method_not_found"}}}"#
                )
                let call = callEcho(client)
                _ = try await peer.receive()
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
                #expect(try await call.value == "b")
            }
        }
    }
}
