import RPCTestKit
import Testing

@testable import Upstream

/// The client applies the rules of `HTTPURL` and `AddressGuard` to requests, and to `check`, which sends no request.
struct CheckTests {
    @Test(arguments: [
        ("ftp://a.example/", []), ("http://a.example:22/", []), ("http://10.0.0.1/", []),
        ("https://a.example/", ["203.0.114.1", "127.0.0.1"]),
    ])
    func `what the rules forbid is refused`(url: String, addresses: [String]) async throws {
        try await withClient(addresses: ["a.example": addresses]) { client in
            let refusal = try #require(try await check(url, client)?.refusal)
            #expect(try await client.failure(url).refusal == refusal)
        }
    }

    @Test func `an address is refused before a connection is opened`() async throws {
        try await OriginServer.with { _ in
            [.response()]
        } _: { server in
            var settings = UpstreamSettings()
            settings.ports = [server.port]
            try await withClient(settings, addresses: ["name.example": [server.host]]) { client in
                for host in [server.host, "name.example"] {
                    let error = try await client.failure("http://\(host):\(server.port)/")
                    #expect(error.refusedAddress == server.host, "\(error)")
                }
            }
            #expect(server.history.connections == 0)
        }
    }

    @Test func `a public address, a public name and a trusted endpoint are allowed`() async throws {
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint("127.0.0.1:8000")]
        try await withClient(settings, addresses: ["a.example": ["8.8.8.8"]]) { client in
            for url in ["https://a.example/b.jpg", "http://8.8.8.8/", "http://127.0.0.1:8000/"] {
                let error = try await check(url, client)
                #expect(error == nil, "\(url)")
            }
        }
    }

    @Test func `a failed lookup is not a refusal`() async throws {
        try await withClient { client in
            let error = try await check("https://unknown.example/", client)
            #expect(error?.isUnreachable == true)
        }
    }

    private func check(_ url: String, _ client: UpstreamClient) async throws -> UpstreamError? {
        do throws(UpstreamError) {
            try await client.check(url)
            return nil
        } catch {
            return error
        }
    }
}
