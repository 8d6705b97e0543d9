import EdgeModel
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

/// Repeated and concurrent requests for pages of the feed.
@Suite struct RecentPagesTests {
    /// A feed with pages of one item. It counts the loads, which the item's description shows.
    private final class CountedFeed: Sendable {
        private let count = Mutex(0)
        private let origin: AnswerOrigin

        /// The length of the description.
        private let length: Int

        init(origin: AnswerOrigin = .store, length: Int = 1) {
            self.origin = origin
            self.length = length
        }

        var loads: Int { count.withLock { $0 } }

        /// - Parameter wait: runs in every load.
        func services(_ wait: @escaping @Sendable () async -> Void = {}) -> FakeServices {
            var services = FakeServices()
            services.load = { _, _ in
                let page = self.load()
                await wait()
                return page
            }
            return services
        }

        func load() -> LoadedFeed {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let text = String(repeating: "x", count: length) + " \(number)"
            return LoadedFeed(
                items: [FeedItem(id: UUID(), description: text, image: "urn:sha256:00")], nextAfterID: nil,
                prevBeforeID: nil, origin: origin, savedAt: origin == .cache ? noon : nil)
        }
    }

    @Test func `concurrent requests load a page once`() async throws {
        let (feed, clients) = (CountedFeed(), 100)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await RunningAPI.with(feed.services { for await _ in gate {} }) { api async throws in
            var peers: [HTTPPeer] = []
            for _ in 0..<clients { peers.append(try await api.connect()) }
            for peer in peers { try await peer.request("/v1/feed") }
            let url = PublicURL(HTTPAddress(host: "127.0.0.1", port: api.port))
            await api.gateway.feed.recent.wait(for: FeedDocument.ID(load: LoadFeed(), publicURL: url)) {
                $0 == clients
            }
            open.finish()
            var texts: Set<String> = []
            for peer in peers { texts.insert(try #require(await peer.receive()).text) }
            #expect(texts.count == 1 && feed.loads == 1)
        }
    }

    @Test(arguments: [[], ["Accept-Encoding: gzip"]]) func `a cached page answers conditional requests too`(
        fields: [String]
    ) async throws {
        let feed = CountedFeed(length: HTTPLimits.compressedBytes)
        try await RunningAPI.with(feed.services()) { api async throws in
            let first = try await api.exchange("/v1/feed", fields)
            let again = try await api.exchange("/v1/feed", fields)
            #expect(first.status == 200 && first.body == again.body)
            #expect(first["Content-Encoding"] == (fields.isEmpty ? nil : "gzip"))
            let tag = try #require(first["ETag"])
            let known = try await api.exchange("/v1/feed", fields + ["If-None-Match: \(tag)"])
            #expect(known.status == 304 && known["ETag"] == tag && known.body.isEmpty)
            #expect(feed.loads == 1 && api.gateway.feed.recent.count == 1)
        }
    }

    @Test func `a page expires after a second by default`() async throws {
        let (clock, publicURL) = (ManualClock(), try #require(PublicURL("http://127.0.0.1:65535")))
        let recent = RecentPages(HTTPLimits(), clock)
        let id = FeedDocument.ID(load: LoadFeed(), publicURL: publicURL)
        // Cancelled at the end of this scope.
        async let _: Void = recent.run()
        let loads = Mutex(0)
        let ask = { @Sendable () async throws in
            _ = try await recent.document(of: id) { () throws(RPCError) in
                loads.withLock { $0 += 1 }
                let page = LoadedFeed(items: [], nextAfterID: nil, prevBeforeID: nil, origin: .store)
                return FeedDocument(EnrichedFeed(feed: page), of: LoadFeed(), publicURL)
            }
        }
        try await ask()
        await clock.advance(by: .milliseconds(750) - .nanoseconds(1))
        try await ask()
        #expect(loads.withLock { $0 } == 1)
        await clock.advance(by: .milliseconds(250) + .nanoseconds(1))
        try await ask()
        #expect(loads.withLock { $0 } == 2)
    }

    @Test func `each page has an entry of its own`() async throws {
        let feed = CountedFeed()
        try await RunningAPI.with(feed.services()) { api async throws in
            let targets = ["", "?limit=2", "?after_id=\(UUID())", "?before_id=\(UUID())"].map { "/v1/feed" + $0 }
            for target in targets + targets { #expect(try await api.exchange(target).status == 200) }
            #expect(feed.loads == targets.count && api.gateway.feed.recent.count == targets.count)
        }
    }

    @Test(arguments: [AnswerOrigin.remote, .cache]) func `an edge's pages are not cached`(
        origin: AnswerOrigin
    ) async throws {
        let feed = CountedFeed(origin: origin)
        try await RunningAPI.with(feed.services()) { api async throws in
            for _ in 1...2 { #expect(try await api.exchange("/v1/feed").status == 200) }
            #expect(feed.loads == 2 && api.gateway.feed.recent.count == 0)
        }
    }

    @Test func `a client that asks for a fresh answer gets one`() async throws {
        let feed = CountedFeed()
        try await RunningAPI.with(feed.services()) { api async throws in
            for (number, field) in ["max-age=0", "max-age=0, no-cache", "No-Cache"].enumerated() {
                _ = try await api.exchange("/v1/feed")
                _ = try await api.exchange("/v1/feed", ["Cache-Control: \(field)"])
                #expect(feed.loads == number + 1)
            }
        }
    }

    @Test func `an error is not cached`() async throws {
        let loads = Mutex(0)
        var services = FakeServices()
        services.load = { _, _ in
            loads.withLock { $0 += 1 }
            throw RPCError(.invalidParams, "params.after_id: unknown")
        }
        try await RunningAPI.with(services) { api async throws in
            for _ in 1...2 { #expect(try await api.exchange("/v1/feed?after_id=\(UUID())").status == 400) }
            #expect(loads.withLock { $0 } == 2)
        }
    }

    @Test(arguments: [true, false]) func `a page may have half of the limit`(isWithin: Bool) async throws {
        let (feed, publicURL) = (CountedFeed(length: 10_000), try #require(PublicURL("http://127.0.0.1:65535")))
        let document = FeedDocument(EnrichedFeed(feed: feed.load()), of: LoadFeed(), publicURL)
        var limits = HTTPLimits()
        let size = try #require(document.heldBytes)
        limits.recentPagesBytes = 2 * size - (isWithin ? 0 : 2)
        let recent = RecentPages(limits, ManualClock())
        let id = FeedDocument.ID(load: LoadFeed(), publicURL: publicURL)
        async let _: Void = recent.run()
        _ = try await recent.document(of: id) { () throws(RPCError) in document }
        #expect(recent.count == (isWithin ? 1 : 0))
    }

    @Test(
        arguments: [
            ("feed.publish", true), ("feed.remove", true), ("feed.validate", true), ("feed.load", false),
            ("comments.post", true),
        ])
    func `a change through the gateway is visible at once`(method: String, isChange: Bool) async throws {
        let feed = CountedFeed()
        try await RunningAPI.with(feed.services()) { api async throws in
            let before = try await api.exchange("/v1/feed").text
            let handlers = GatewayHandlers(
                gateway: api.gateway, identity: ServiceIdentity(name: "gateway", version: "1"))
            try await TestServer.with(handlers.table) { server async throws -> Void in
                try await RPCClient.withConnection(to: server.path, as: "test") { client in
                    // A call that fails counts too: it may have had an effect.
                    _ = try? await client.call(method, .emptyObject)
                }
            }
            #expect(try await (api.exchange("/v1/feed").text != before) == isChange)
        }
    }

    @Test func `a reader of an event gets the page after the change`() async throws {
        let feed = CountedFeed()
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        var services = feed.services()
        services.watch = { _, items in
            try await items.send(FeedEvent(seq: "1", change: .reset))
            for await _ in changes { try await items.send(FeedEvent(seq: "2", change: .removed([UUID()]))) }
        }
        try await RunningAPI.with(services) { api async throws in
            let reader = try await api.connect()
            try await reader.request("/v1/feed/events", ["Last-Event-ID: 1"])
            let before = try await api.exchange("/v1/feed").text
            change.yield()
            _ = await reader.wire.receiveBytes(upTo: Array("event: removed".utf8))
            #expect(try await api.exchange("/v1/feed").text != before)
            change.finish()
        }
    }
}
