import EdgeModel
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct FeedRouteTests {
    private static let ids = (1...3).map { UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D0\($0)")! }

    private static func page(
        _ count: Int, next: UUID? = nil, prev: UUID? = nil, origin: AnswerOrigin = .store, savedAt: Date? = nil
    ) -> LoadedFeed {
        LoadedFeed(
            items: ids.prefix(count).map { FeedItem(id: $0, image: "https://elsewhere.example/a.png") },
            nextAfterID: next, prevBeforeID: prev, origin: origin, savedAt: savedAt)
    }

    @Test(arguments: 0...3) func `items have image URLs of this deployment`(count: Int) async throws {
        try await RunningAPI.with(.feed(Self.page(count))) { api in
            let reply = try await api.exchange("/v1/feed")
            let items = Self.ids.prefix(count).map {
                #"{"id":"\#($0)","image":"http://127.0.0.1:\#(api.port)/v1/image/\#($0)/data"}"#
            }
            #expect(reply.status == 200 && reply.text == #"{"items":[\#(items.joined(separator: ","))]}"#)
            #expect(reply["Content-Type"] == "application/json")
            // Only an authority's events tell of each change.
            #expect(reply["Link"] == #"<http://127.0.0.1:\#(api.port)/v1/feed/events>; rel="monitor""#)
        }
        try await RunningAPI.with(.feed(Self.page(count, origin: .remote))) { api async throws in
            #expect(try await api.exchange("/v1/feed")["Link"] == nil)
        }
    }

    @Test func `absent members of an item are omitted`() async throws {
        let item = FeedItem(id: Self.ids[0], description: "A \"tower\"", location: "Pôrto", image: "urn:sha256:00")
        let page = LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        try await RunningAPI.with(.feed(page)) { api in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply.text.contains(#""description":"A \"tower\"","location":"Pôrto","image":"http://127"#))
        }
    }

    @Test func `an item has its date, and the size and the placeholder of its picture`() async throws {
        let hints = PictureHints(width: 4, height: 3, placeholder: Placeholder(Data([0x11, 1, 2, 3])))
        let item = FeedItem(id: Self.ids[0], image: "urn:sha256:00", publishedAt: noon, hints: hints)
        let page = LoadedFeed(items: [item], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        try await RunningAPI.with(.feed(page)) { api in
            let reply = try await api.exchange("/v1/feed")
            #expect(
                reply.text.contains(
                    #"/data","published_at":"2026-03-01T12:00:00Z","width":4,"height":3,"placeholder":"EQECAw=="}"#)
            )
        }
    }

    @Test func `links lead to the adjacent pages, and the last page has no next link`() async throws {
        let base = "/v1/feed?limit=2&"
        try await RunningAPI.with(.feed(Self.page(2, next: Self.ids[1], prev: Self.ids[0], origin: .cache))) { api in
            let url = "http://127.0.0.1:\(api.port)\(base)"
            let reply = try await api.exchange("/v1/feed?limit=2")
            let next = #"<\#(url)after_id=\#(Self.ids[1])>; rel="next""#
            #expect(reply["Link"] == next + #", <\#(url)before_id=\#(Self.ids[0])>; rel="prev""#)
        }
        try await RunningAPI.with(.feed(Self.page(1, prev: Self.ids[0], origin: .cache))) { api in
            let link = try await api.exchange("/v1/feed?limit=2")["Link"]
            #expect(link == #"<http://127.0.0.1:\#(api.port)\#(base)before_id=\#(Self.ids[0])>; rel="prev""#)
        }
    }

    @Test(
        arguments: [
            (.store, nil, nil, nil), (.remote, nil, nil, "image-feed; fwd=miss"),
            (.remote, 30, "30", "image-feed; fwd=miss"), (.cache, 0, "0", "image-feed; hit"),
            (.cache, -5, "0", "image-feed; hit"), (.cache, 604_799, "604799", "image-feed; hit"),
        ] as [(AnswerOrigin, TimeInterval?, String?, String?)])
    func `a page has its age and cache status`(
        origin: AnswerOrigin, age: TimeInterval?, ageField: String?, cacheStatus: String?
    ) async throws {
        let page = Self.page(1, origin: origin, savedAt: age.map { noon - $0 })
        try await RunningAPI.with(.feed(page)) { api in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply["Age"] == ageField && reply["Cache-Status"] == cacheStatus)
            #expect(reply["Cache-Control"] == "no-cache")
            let tag = try #require(reply["ETag"])
            let known = try await api.exchange("/v1/feed", ["If-None-Match: W/\(tag)"])
            #expect(known.status == 304 && known.body.isEmpty && known["ETag"] == tag && known["Age"] == ageField)
            #expect(known["Content-Type"] == nil && known["Cache-Control"] == "no-cache")
        }
    }

    @Test func `parameters reach the feed from any form of the target`() async throws {
        var services = FakeServices()
        services.load = { params, _ in
            #expect(params == LoadFeed(limit: 2, afterID: Self.ids[0]))
            return Self.page(1)
        }
        try await RunningAPI.with(services) { api in
            let query = "after_id=\(Self.ids[0].uuidString.lowercased())&x=y&limit=2"
            for target in [
                "/v1/feed", "//v1/feed", "/v1/feed/", "http://other.example/v1/feed", "http://other.example:1//v1/feed",
                "/%76%31/feed",
            ] {
                let reply = try await api.exchange("\(target)?\(query)")
                #expect(reply.status == 200 && reply.text.contains(#""image":"http://127.0.0.1:\#(api.port)/"#))
            }
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await RunningAPI.with(.feed(Self.page(3))) { api in
            // Local clients also get the times of each request.
            let remote = ["Via: 1.1 proxy"]
            let get = try await api.exchange("/v1/feed", remote)
            let peer = try await api.connect()
            try await peer.request("/v1/feed", method: "HEAD", remote)
            let head = try #require(await peer.receive(hasBody: false))
            #expect(
                head.fields.map(\.value) == get.fields.map(\.value) && head["Content-Length"] == "\(get.body.count)")
            // No bytes are between this answer and the next.
            try await peer.request("/healthz")
            #expect(await peer.receive()?.text == "alive\n")
        }
    }

    @Test func `a long page is compressed for a client that accepts gzip`() async throws {
        let items = (0..<50).map { _ in FeedItem(id: UUID(), image: "urn:sha256:00") }
        let page = LoadedFeed(items: items, nextAfterID: nil, prevBeforeID: nil, origin: .store)
        try await RunningAPI.with(.feed(page)) { api in
            let reply = try await api.exchange("/v1/feed", ["Accept-Encoding: gzip"])
            #expect(reply["Content-Encoding"] == "gzip" && reply.body.starts(with: [0x1F, 0x8B]))
            let plain = try await api.exchange("/v1/feed")
            #expect(plain["Content-Encoding"] == nil && plain["ETag"] != reply["ETag"])
            #expect(plain["Vary"] == "Accept-Encoding" && reply["Vary"] == "Accept-Encoding")
            #expect(plain.body.count > reply.body.count)
        }
    }

    @Test func `an item is answered by its id, with the image URL of this deployment`() async throws {
        let id = UUID()
        var services = FakeServices()
        services.get = { selection, _ in
            guard selection.id == id else { throw RPCError(.notFound, "no such item") }
            return FeedItem(id: id, description: "so", image: "https://example.org/a.png")
        }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange("/v1/image/\(id.uuidString.lowercased())")
            let url = "http://127.0.0.1:\(api.port)/v1/image/\(id)/data"
            #expect(reply.text == #"{"id":"\#(id)","description":"so","image":"\#(url)"}"#)
            let tag = try #require(reply["ETag"])
            #expect(try await api.exchange("/v1/image/\(id)", ["If-None-Match: \(tag)"]).status == 304)
            #expect(try await api.exchange("/v1/image/\(UUID())").status == 404)
        }
    }

    @Test(
        arguments: [
            (AnswerOrigin.store, nil, nil, nil), (.cache, -90, "90", "image-feed; hit"),
            (.remote, nil, nil, "image-feed; fwd=miss"),
            (.remote, -5, "5", "image-feed; fwd=miss"),
        ] as [(AnswerOrigin, TimeInterval?, String?, String?)])
    func `an edge's item has the age of the upstream's answer`(
        origin: AnswerOrigin, savedAt: TimeInterval?, age: String?, status: String?
    ) async throws {
        var services = FakeServices()
        services.get = { selection, _ in FeedItem(id: selection.id, image: "https://example.org/a.png") }
        services.loaded = { LoadedItem($0, origin: origin, savedAt: savedAt.map { noon + $0 }) }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange("/v1/image/\(UUID())")
            #expect(reply.status == 200 && reply["Age"] == age && reply["Cache-Status"] == status)
        }
    }
}
