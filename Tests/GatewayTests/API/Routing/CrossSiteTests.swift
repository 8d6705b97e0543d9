import Foundation
import RPCTestKit
import Testing

@testable import gateway

@Suite struct CrossSiteTests {
    @Test func `scripts of other sites may read the API, also its errors`() async throws {
        try await RunningAPI.with { api in
            for target in ["/v1/feed", "/v1/feed?limit=0", "/openapi.json", "/v1/image/\(UUID())/data"] {
                let reply = try await api.exchange(target, ["Origin: https://example.org"])
                #expect(reply["Access-Control-Allow-Origin"] == "*")
                #expect(reply["Access-Control-Allow-Credentials"] == nil)
                #expect(reply["Access-Control-Expose-Headers"]?.contains("Link") == true)
            }
        }
    }

    @Test func `a preflight request is answered with what is allowed`() async throws {
        try await RunningAPI.with { api in
            let fields = ["Origin: https://example.org", "Access-Control-Request-Method: GET"]
            let reply = try await api.exchange("/v1/feed", method: "OPTIONS", fields)
            #expect(reply.status == 204 && reply["Allow"] == "GET, HEAD, OPTIONS")
            #expect(reply["Access-Control-Allow-Methods"] == "GET, HEAD")
            #expect(reply["Access-Control-Allow-Headers"]?.contains("If-None-Match") == true)
            #expect(reply["Access-Control-Max-Age"] == "86400")
        }
    }

    @Test func `scripts of other sites may not write`() async throws {
        try await RunningAPI.with { api in
            let target = "/v1/image/\(UUID())/comments"
            let preflight = try await api.exchange(target, method: "OPTIONS", ["Access-Control-Request-Method: POST"])
            #expect(preflight["Allow"] == "GET, HEAD, POST, OPTIONS")
            #expect(preflight["Access-Control-Allow-Methods"] == "GET, HEAD")
            let reply = try await api.post(target, ["Content-Type: application/json"], "{}")
            #expect(reply["Access-Control-Allow-Origin"] == nil)
        }
    }
}
