import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The links in answers: below the path of the public URL, and at the host that a client has asked.
@Suite struct PublicURLRouteTests {
    private static let id = UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01")!
    private static let html = "Accept: text/html"

    private static let services: FakeServices = {
        var services = FakeServices()
        let item = FeedItem(id: id, description: "A tower", image: "https://a.example/a.png", tags: ["sea"])
        services.load = { _, _ in
            LoadedFeed(items: [item], nextAfterID: id, prevBeforeID: id, origin: .store)
        }
        services.get = { _, _ in item }
        services.list = { _, _ in ListedComments(items: [], nextAfterID: nil, origin: .store) }
        return services
    }()

    private func withPath(_ body: (RunningAPI) async throws -> Void) async throws {
        let url = try #require(PublicURL("https://example.org/my/photos"))
        let token = WriteToken("a-token-of-16-chars")
        try await RunningAPI.with(Self.services, writeToken: token, publicURL: url) { api async throws in
            try await body(api)
        }
    }

    @Test(arguments: ["/", "/image/\(id)", "/image/\(id)?after_id=\(id)", "/image/\(id)/picture", "/docs", "/nothing"])
    func `every link of a page is below the path`(target: String) async throws {
        try await withPath { api in
            for target in [target, "/my/photos" + target] {
                let text = try await api.exchange(target, [Self.html]).text
                let links = text.matches(of: /\s(?:href|src|srcset|action)="([^"]*)"/).flatMap {
                    $0.output.1.split(separator: ", ")
                }
                #expect(links.count > 10)
                let own = ["/my/photos/", "https://example.org/my/photos/", "#", "data:"]
                for link in links { #expect(own.contains(where: link.hasPrefix), "\(target): \(link)") }
                #expect(text.contains(#"data-base="/my/photos""#))
            }
        }
    }

    @Test func `a proxy may pass the path or remove it`() async throws {
        try await withPath { api in
            for target in ["/v1/feed", "/my/photos/v1/feed", "/my/photos", "/my/photos/", "/my%2fphotos/../x", "/my"] {
                let isKnown = !target.contains("x") && target != "/my"
                #expect(try await api.exchange(target).status == (isKnown ? 200 : 404), "\(target)")
            }
            let page = try await api.exchange("/my/photos/", [Self.html]).text
            let style = try #require(page.firstMatch(of: /stylesheet" href="([^"]*)"/)?.output.1)
            #expect(try await api.exchange(String(style)).status == 200)
            let setting = try await api.exchange("/my/photos/?theme=dark")
            #expect(setting["Location"] == "/my/photos/" && setting["Set-Cookie"]?.contains("Path=/my/photos;") == true)
            let feed = try await api.exchange("/my/photos/v1/feed")
            #expect(feed.text.contains(#""image":"https://example.org/my/photos/v1/image/\#(Self.id)/data""#))
            #expect(feed["Link"]?.hasPrefix("<https://example.org/my/photos/v1/feed?") == true)
        }
    }

    @Test func `a path that is also one of the API leads to the API`() async throws {
        let url = try #require(PublicURL("https://example.org/v1"))
        try await RunningAPI.with(Self.services, publicURL: url) { api async throws in
            for target in ["/v1/feed", "/v1/v1/feed", "/v1/"] {
                #expect(try await api.exchange(target).status == 200)
            }
        }
    }

    // MARK: The host

    private func ask(_ api: RunningAPI, _ target: String, host: String) async throws -> HTTPReply {
        let peer = try await api.connect()
        try await peer.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(Self.html)\r\n\r\n")
        let reply = await peer.receive()
        try await peer.wire.close()
        return try #require(reply)
    }

    @Test(arguments: [
        ("feed.local:81", "http://feed.local:81"), ("[::1]:80", "http://[::1]:80"), ("NAS", "http://nas"),
    ])
    func `at a wildcard address the links name the host that the client has asked`(
        host: String, base: String
    ) async throws {
        try await RunningAPI.with(Self.services, followsHost: true) { api async throws in
            // Pages of the feed are cached, so another host comes first.
            for (host, base) in [("other.example", "http://other.example"), (host, base)] {
                let feed = try await ask(api, "/v1/feed", host: host)
                #expect(feed.text.contains(#""image":"\#(base)/v1/image/\#(Self.id)/data""#))
                #expect(feed["Link"]?.hasPrefix("<\(base)/v1/feed?") == true)
                #expect(try await ask(api, "/", host: host).text.contains(#"<link rel="canonical" href="\#(base)/">"#))
                #expect(try await ask(api, "/feed.atom", host: host).text.contains("<id>\(base)/feed.atom</id>"))
            }
        }
    }

    @Test func `another listener names its own address, whatever the client asks`() async throws {
        try await RunningAPI.with(Self.services) { api async throws in
            let feed = try await ask(api, "/v1/feed", host: "evil.example")
            #expect(feed.text.contains(#""image":"http://127.0.0.1:\#(api.port)/"#))
        }
    }

    @Test func `a request without a host gets the links of the listener's address`() async throws {
        try await RunningAPI.with(Self.services, followsHost: true) { api async throws in
            let feed = try await ask(api, "/v1/feed", host: "")
            #expect(feed.text.contains(#""image":"http://127.0.0.1:\#(api.port)/"#))
        }
    }
}
