import Foundation
import RPC
import Testing

@testable import gateway

@Suite struct RequestTargetTests {
    @Test(
        arguments: [
            ("/v1/feed", ["v1", "feed"], ""), ("/v1/feed?limit=3", ["v1", "feed"], "limit=3"),
            ("//v1///feed/", ["v1", "feed"], ""), ("/", [], ""), ("/?a", [], "a"),
            ("http://example.org:1/v1/feed?a=b?c", ["v1", "feed"], "a=b?c"), ("HTTPS://example.org/v1", ["v1"], ""),
            ("http://example.org", [], ""), ("http://example.org?a", [], "a"),
            ("/%76%31/f%65ed", ["v1", "feed"], ""), ("/v1%2Ffeed", ["v1/feed"], ""),
        ] as [(String, [String], String)])
    func `a path is read between the authority and the query`(text: String, path: [String], query: String) throws {
        let target = try RequestTarget(text)
        #expect(target.path == path && target.query == query)
    }

    @Test(
        arguments: [
            "*", "example.org:443", "v1/feed", "ftp://example.org/v1/feed", "/v1/%", "/v1/%zz", "/%ff%fe", "http://",
            "http:///v1/feed", "http://?limit=3", "https://:80/v1/feed", "http://ana@example.org/v1/feed",
            "http://a:b/v1/feed", "http://[::1/v1/feed", "http://example.org#/v1/feed",
        ])
    func `an invalid path is rejected`(text: String) {
        let error = #expect(throws: RPCError.self) { try RequestTarget(text) }
        #expect(error?.kind == .invalidRequest)
    }

    private static let id = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"

    @Test func `ids are accepted in any case`() throws {
        let id = try #require(UUID(uuidString: Self.id))
        #expect(Route(["v1", "image", Self.id.lowercased(), "comments"]) == .comments(id))
        #expect(Route(["v1", "image", Self.id, "data"]) == .imageData(id))
        #expect(Route(["v1", "feed"]) == .feed)
        #expect(Route(["healthz"]) == .alive)
        #expect(Route(["readyz"]) == .ready)
    }

    @Test(
        arguments: [
            [], ["v1"], ["feed"], ["v2", "feed"], ["V1", "feed"], ["v1", "feed", "x"], ["v1", "image", id],
            ["v1", "image", "x", "data"], ["v1", "image", id, "other"], ["v1", "image", id, "data", "x"],
        ])
    func `any other path is unknown`(path: [String]) { #expect(Route(path) == nil) }
}
