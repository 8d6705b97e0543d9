import Foundation
import Testing

@testable import gateway

@Suite struct PublicURLTests {
    private let id = UUID(uuidString: "5b0c5f0e-6a1d-4f0b-9a53-2f6c1f3f7d01")!

    @Test(
        arguments: [
            ("http://example.org", "http://example.org"), ("https://example.org/", "https://example.org"),
            ("http://example.org:81/feeds/", "http://example.org:81/feeds"),
            ("https://example.org/a-b/c%20d", "https://example.org/a-b/c%20d"), ("http://[::1]:81", "http://[::1]:81"),
        ])
    func `image URLs are below the base, with their ids in upper case`(text: String, base: String) throws {
        let url = try #require(PublicURL(text))
        #expect(url.imageData(id) == "\(base)/v1/image/5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01/data")
        #expect(
            url.feed(limit: 3, "after_id", id)
                == "\(base)/v1/feed?limit=3&after_id=5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01")
        #expect(
            url.feed(limit: nil, "before_id", id) == "\(base)/v1/feed?before_id=5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01")
    }

    @Test(
        arguments: [
            "", "example.org", "ftp://example.org", "http://", "http:///x", "http://a@example.org",
            "http://example.org?x", "http://example.org#x", "http://example.org/ x", "http://example.org:0",
            "http://example.org/a/../b", "http://example.org/a/%2E", "http://example.org//a", "http://example.org/a//",
            "http://example.org/a;b", "http://example.org/\"", "http://example.org/%zz",
            "http://example.org:70000", "http://exämple.org",
            "http://example.org/" + String(repeating: "x", count: 1_024),
        ])
    func `an invalid base URL is rejected`(text: String) { #expect(PublicURL(text) == nil) }

    @Test(arguments: [
        ("feed.local:8080", "http://feed.local:8080"), ("[::1]", "http://[::1]"), ("A.Example", "http://a.example"),
        ("", nil), (":80", nil), ("a/b", nil), ("a@b", nil), ("a b", nil), (String(repeating: "x", count: 1_025), nil),
    ])
    func `the host that a client has asked becomes a URL`(host: String, url: String?) {
        #expect(PublicURL(host: host)?.description == url)
    }

    @Test(arguments: [
        ("https://Example.org:443/photos/", "https://example.org"), ("http://example.org:80", "http://example.org"),
        ("https://example.org:80", "https://example.org:80"), ("http://example.org:8080", "http://example.org:8080"),
        ("http://[::1]:80", "http://[::1]"),
    ])
    func `the origin is that which browsers send`(text: String, origin: String) {
        #expect(PublicURL(text)?.origin == origin)
    }

    @Test func `a base URL may have 1,024 bytes`() {
        let base = "http://example.org/"
        #expect(PublicURL(base + String(repeating: "x", count: 1_024 - base.utf8.count)) != nil)
        #expect(PublicURL(base + String(repeating: "x", count: 1_025 - base.utf8.count)) == nil)
    }

    @Test(
        arguments: [
            ("127.0.0.1", "http://127.0.0.1:81"), ("localhost", "http://localhost:81"), ("::1", "http://[::1]:81"),
            ("0.0.0.0", "http://127.0.0.1:81"), ("::", "http://[::1]:81"),
        ])
    func `the default is the bound address`(host: String, url: String) {
        #expect(PublicURL(HTTPAddress(host: host, port: 81)).description == url)
    }
}
