import RPCTestKit
import Testing

@testable import Upstream

/// `UpstreamClient.check`: whether a URL may be fetched, without a request.
@Suite struct CheckTests {
    @Test(arguments: [
        "ftp://a.example/", "http://user@a.example/", "http://a.example:22/", "http://10.0.0.1/", "http://[::1]/",
        "http://a.example/ä", "http:///",
    ])
    func `a URL with forbidden text is refused`(url: String) async throws {
        let refusal = try await check(url)?.refusal
        #expect(refusal != nil)
    }

    @Test(arguments: [["10.0.0.1"], ["203.0.114.1", "127.0.0.1"], ["::1"]])
    func `a name with a refused address is refused`(
        addresses: [String]
    ) async throws {
        let refusal = try await check("https://a.example/", addresses)?.refusal
        #expect(refusal != nil)
    }

    @Test func `a public address, a public name and a trusted endpoint are allowed`() async throws {
        for url in ["https://a.example/b.jpg", "http://8.8.8.8/", "http://127.0.0.1:8000/"] {
            let error = try await check(url, ["8.8.8.8"])
            #expect(error == nil, "\(url)")
        }
    }

    @Test func `a failed lookup is not a refusal`() async throws {
        let error = try await check("https://unknown.example/")
        #expect(error != nil && error?.refusal == nil)
    }

    /// - Parameter addresses: the addresses of `a.example`.
    private func check(_ url: String, _ addresses: [String] = ["8.8.8.8"]) async throws -> UpstreamError? {
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint("127.0.0.1:8000")]
        return try await withClient(settings, addresses: ["a.example": addresses]) { client in
            do throws(UpstreamError) {
                try await client.check(url)
                return nil
            } catch {
                return error
            }
        }
    }
}
