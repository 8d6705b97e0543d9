import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import ImageDataContract
import RPC
import RPCTestKit
import ServiceKit
import Synchronization
import Testing

@testable import gateway

/// The sizes and placeholders of pictures whose items were published by URL.
struct HintedItemsTests {
    private static let ids = (1...3).map { UUID(uuidString: "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D0\($0)")! }
    private static let placeholder = Placeholder(Data([0x11, 1, 2, 3]))
    private static let hints = PictureHints(width: 4, height: 3, placeholder: placeholder)
    private static let date = Date(timeIntervalSince1970: 1_000_000_000)
    private static let members =
        #""published_at":"2001-09-09T01:46:40Z","width":4,"height":3,"placeholder":"EQECAw==""#

    private static func item(_ index: Int, _ hints: PictureHints = PictureHints(), url: String? = nil) -> FeedItem {
        FeedItem(id: ids[index], image: url ?? "https://a.example/\(index)", publishedAt: date, hints: hints)
    }

    /// Services that note the URLs of each call for facts.
    private final class Service: Sendable {
        let items: [FeedItem]
        let calls = Mutex<[Set<String>]>([])

        init(_ items: FeedItem...) { self.items = items }

        func services(_ facts: @escaping @Sendable () async throws -> [String: PictureHints]) -> FakeServices {
            var services = FakeServices()
            services.load = { _, _ in
                LoadedFeed(items: self.items, nextAfterID: nil, prevBeforeID: nil, origin: .store)
            }
            services.get = { selection, _ in
                guard let item = self.items.first(where: { $0.id == selection.id }) else {
                    throw RPCError(.notFound, "no such item")
                }
                return item
            }
            services.facts = { selection, _ in
                self.calls.withLock { $0.append(Set(selection.urls)) }
                return ImageFacts(facts: try await facts())
            }
            return services
        }
    }

    @Test(arguments: ["/v1/feed", "/", "/image/\(ids[0])", "/v1/image/\(ids[0])"])
    func `an item published by URL has the hints that the service knows`(path: String) async throws {
        let service = Service(Self.item(0))
        let services = service.services { [Self.item(0).image: Self.hints] }
        try await RunningAPI.with(services) { api async throws in
            let isPage = !path.hasPrefix("/v1")
            let text = try await api.exchange(path, isPage ? ["Accept: text/html"] : []).text
            if isPage {
                #expect(text.contains(Self.placeholder?.dataURI ?? "?") && text.contains(#"width="4""#))
            } else {
                #expect(text.contains(Self.members))
            }
        }
    }

    @Test func `the command line has them too`() async throws {
        let services = Service(Self.item(0)).services { [Self.item(0).image: Self.hints] }
        try await RunningAPI.withRegistry(of: services) { registry in
            let gateway = Gateway(registry)
            async let _: Void = gateway.run()
            let page = try await gateway.feedPage(LoadFeed(), in: .en, CallOptions())
            #expect(page.page.items.map(\.hints) == [Self.hints])
        }
    }

    @Test func `one call asks for the incomplete items of a page, once for each URL`() async throws {
        let sized = PictureHints(width: 9, height: 8)
        let service = Service(Self.item(0, Self.hints), Self.item(1, sized), Self.item(2, url: "https://a.example/1"))
        let services = service.services { ["https://a.example/1": Self.hints] }
        try await RunningAPI.with(services) { api async throws in
            let text = try await api.exchange("/v1/feed").text
            #expect(service.calls.withLock { $0 } == [["https://a.example/1"]])
            // What the feed knows has precedence.
            #expect(text.contains(#""width":9,"height":8,"placeholder":"EQECAw==""#))
            #expect(text.components(separatedBy: Self.members).count == 3)
        }
    }

    @Test(arguments: [true, false]) func `nothing is asked for complete items and for URLs above the limit`(
        isLong: Bool
    ) async throws {
        let url = "https://a.example/" + String(repeating: "x", count: FeedItem.maximumImage - 18 + (isLong ? 1 : 0))
        let service = Service(isLong ? Self.item(0, url: url) : Self.item(0, Self.hints))
        try await RunningAPI.with(service.services { [:] }) { api async throws in
            #expect(try await api.exchange("/v1/feed").status == 200)
            #expect(service.calls.withLock { $0.isEmpty })
        }
    }

    @Test func `a URL of the maximum length is asked for`() async throws {
        let url = "https://a.example/" + String(repeating: "x", count: FeedItem.maximumImage - 18)
        try await RunningAPI.with(
            Service(Self.item(0, url: url)).services { [url: Self.hints] }
        ) { api async throws in
            #expect(try await api.exchange("/v1/feed").text.contains(Self.members))
        }
    }

    @Test func `an unknown picture has no hints, and a later page has them`() async throws {
        let isKnown = Mutex(false)
        let services = Service(Self.item(0)).services {
            isKnown.withLock { $0 } ? [Self.item(0).image: Self.hints] : [:]
        }
        let clock = ManualClock()
        try await RunningAPI.with(services, clock: clock) { api async throws in
            let first = try await api.exchange("/v1/feed")
            #expect(first.status == 200 && !first.text.contains("width"))
            isKnown.withLock { $0 = true }
            // Neither the page nor the missing hints are cached any more.
            await clock.advance(by: .seconds(1))
            let second = try await api.exchange("/v1/feed")
            #expect(second.text.contains(Self.members) && second["ETag"] != first["ETag"])
        }
    }

    @Test func `without the service a page has no hints and no problem`() async throws {
        let service = Service(Self.item(0))
        try await RunningAPI.with(service.services { [:] }, running: ["feed", "comments"]) { api async throws in
            for path in ["/v1/feed", "/", "/image/\(Self.ids[0])"] {
                let reply = try await api.exchange(path, ["Accept: text/html"])
                #expect(reply.status == 200 && !reply.text.contains(#"class="problem""#), "\(path)")
            }
        }
    }

    @Test func `a page waits a tenth of a second for a service that hangs, and the next pages do not ask it`()
        async throws
    {
        let (service, log, clock) = (Service(Self.item(0)), RecordedLog(), ManualClock())
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        let services = service.services {
            called.yield()
            await waitForCancellation()
            return [:]
        }
        try await RunningAPI.with(services, logger: log.logger, clock: clock) { api async throws in
            async let first = api.exchange("/v1/feed")
            for await _ in calls { break }
            await clock.advance(by: .milliseconds(100))
            #expect(try await first.status == 200)
            for _ in 1...4 {
                await clock.advance(by: .seconds(1))
                #expect(try await api.exchange("/v1/feed").status == 200)
            }
            #expect(service.calls.withLock { $0.count } == 1)
            #expect(log.lines.count { $0.contains("image-data.facts") } == 1, "\(log.lines)")
        }
    }
}
