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
}
