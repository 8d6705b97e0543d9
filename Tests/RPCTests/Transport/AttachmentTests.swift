import Foundation
import RPC
import RPCTestKit
import Testing

struct AttachmentTests {
    private func withClient(
        _ features: Features = .standard, limits: Limits = Limits(), _ body: (RPCClient) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table, limits: limits) { server in
            try await RPCClient.withConnection(to: server.path, as: "test", features: features, body)
        }
    }

    @Test(
        arguments: [Features.standard, [], .bytes, [.bytes, .credit], .parts, [.standard, .zlib]],
        [0, 1, 65_537, 300_000])
    func `bytes are echoed, whatever features were negotiated`(features: Features, count: Int) async throws {
        try await echo(count, features)
    }

    @Test(arguments: [65_535, 65_536, 262_143, 262_144, 262_145, 1_000_000])
    func `bytes of any size are echoed unchanged`(count: Int) async throws {
        try await echo(count, .standard)
    }

    private func echo(_ count: Int, _ features: Features) async throws {
        try await withClient(features) { client in
            let blob = EchoContract.Blob.of(count)
            let answer = try await client.call(EchoContract.bytes, blob)
            #expect(answer == blob)
        }
    }

    @Test func `many attachments are sent at the same time`() async throws {
        try await withClient { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for count in 0..<200 {
                    group.addTask {
                        let blob = EchoContract.Blob.of(count * 1_009)
                        let answer = try await client.call(EchoContract.bytes, blob)
                        #expect(answer == blob)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: [Features.standard, [], [.parts], [.parts, .credit], [.standard, .zlib]])
    func `large messages arrive, whatever features were negotiated`(features: Features) async throws {
        try await withClient(features) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for count in [0, 65_400, 65_536, 300_000] {
                    group.addTask {
                        let text = try await client.call(EchoContract.grow, .init(bytes: count)).text
                        #expect(text.utf8.count == count)
                        let echoed = try await client.call(EchoContract.echo, .init(text: text)).text
                        #expect(echoed == text)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `the items of a stream arrive in order, with their attachments`() async throws {
        try await withClient { client in
            let blobs = try await client.withStream(EchoContract.blobs, .init(bytes: 200_000)) { items in
                try await items.reduce(into: []) { $0.append($1) }
            }
            #expect(blobs == (0..<5).map { EchoContract.Blob.of(200_000 + $0) })
        }
    }
}
