import EdgeModel
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

/// The real feed-service with an upstream over HTTP.
struct FeedEdgeTests {
    private static let ids = (1...5).map(UUID.init(number:))

    /// Answers as an upstream with five items.
    private static func answer(_ request: OriginRequest) -> [OriginStep] {
        guard request.path == "/base/v1/feed" else { return [.response(404)] }
        let query = URLComponents(string: request.target)?.queryItems ?? []
        let limit = query.first { $0.name == "limit" }?.value.flatMap(Int.init) ?? 10
        let after = query.first { $0.name == "after_id" }?.value
        let start = after.map { after in (ids.firstIndex { $0.uuidString == after } ?? 0) + 1 } ?? 0
        let items = ids[start...].prefix(limit).map { #"{"id":"\#($0)","image":"https://x.example/\#($0)"}"# }
        let etag = "\"\(start)-\(limit)\""
        if request["If-None-Match"] == etag { return [.response(304, [("ETag", etag)])] }
        return [.response(200, [("ETag", etag)], text: #"{"items":[\#(items.joined(separator: ","))]}"#)]
    }

    private func walk(_ client: RPCClient) async throws -> (ids: [UUID], origins: Set<AnswerOrigin>) {
        var (ids, origins) = ([UUID](), Set<AnswerOrigin>())
        var after: UUID?
        repeat {
            let page = try await client.call(FeedContract.load, LoadFeed(limit: 2, afterID: after))
            ids += page.items.map(\.id)
            origins.insert(page.origin)
            after = page.nextAfterID
        } while after != nil
        return (ids, origins)
    }

    /// Reads this many events.
    private func watch(_ client: RPCClient, since: String, _ count: Int) async throws -> [FeedEvent] {
        try await client.withStream(FeedContract.watch, WatchFeed(since: since)) { items in
            var (items, events) = (items, [FeedEvent]())
            while events.count < count, let event = try await items.next() { events.append(event) }
            return events
        }
    }

    @Test func `cached pages are served without the upstream and after a restart, and a watch continues`() async throws
    {
        try await withTemporaryDirectory { root in
            let port = Mutex(0)
            let start = Mutex("")
            try await OriginServer.with(Self.answer) { origin in
                port.withLock { $0 = origin.port }
                try await RunningService.with("feed", root: root, arguments: ["--upstream", origin.url + "/base/"]) {
                    service in
                    let reset = try await watch(service.client, since: "", 1)
                    start.withLock { $0 = reset[0].seq }
                    for _ in 1...2 {
                        let seen = try await walk(service.client)
                        #expect(seen.ids == Self.ids && seen.origins == [.remote])
                    }
                    // The upstream answers the second request with 304, without the page.
                    #expect(origin.history.requests.last?["If-None-Match"] != nil)
                    #expect(
                        try await service.client.call(FeedContract.get, FeedItemSelection(id: Self.ids[3])).item.id
                            == Self.ids[3])
                }
            }
            let arguments = ["--upstream", "http://127.0.0.1:\(port.withLock { $0 })/base"]
            try await RunningService.with("feed", root: root, arguments: arguments) { service in
                let seen = try await walk(service.client)
                #expect(seen.ids == Self.ids && seen.origins == [.cache])
                let events = try await watch(service.client, since: start.withLock(\.self), 3)
                let items = Self.ids.map { FeedItem(id: $0, image: "https://x.example/\($0)") }
                #expect(
                    events.map(\.change) == [
                        .published(Array(items[..<2])), .found(Array(items[2..<4])), .found(Array(items[4...])),
                    ])
                let page = try await service.client.call(FeedContract.load, LoadFeed())
                #expect(page.savedAt != nil && page.nextAfterID == nil)
                #expect(try await service.client.call(ProtocolMethods.health, ServiceSelection()).status == .degraded)
                #expect(await service.logLines(with: "no good answer").count == 2, "\(service.log)")
            }
        }
    }

    @Test func `the caches of two upstreams never mix`() async throws {
        try await withTemporaryDirectory { root in
            try await OriginServer.with(Self.answer) { origin in
                let arguments = ["--upstream", origin.url + "/base"]
                try await RunningService.with("feed", root: root, arguments: arguments) { service in
                    _ = try await service.client.call(FeedContract.load, LoadFeed())
                }
            }
            try await RunningService.with("feed", root: root, arguments: ["--upstream", "http://127.0.0.1:1"]) {
                service in
                let error = await #expect(throws: RPCError.self) {
                    try await service.client.call(FeedContract.load, LoadFeed())
                }
                #expect(error?.kind == .connectivity)
            }
        }
    }

    @Test func `a killed service has cached a page completely or not at all`() async throws {
        try await withTemporaryDirectory { root in
            let url = Mutex("")
            try await OriginServer.with(Self.answer) { origin in
                let arguments = ["--upstream", origin.url + "/base"]
                url.withLock { $0 = arguments[1] }
                await #expect(throws: RunningService.Failure.self) {
                    try await RunningService.with("feed", root: root, arguments: arguments) { service in
                        _ = try await service.client.call(FeedContract.load, LoadFeed(limit: 3))
                        service.kill()
                    }
                }
            }
            let arguments = ["--upstream", url.withLock(\.self)]
            try await RunningService.with("feed", root: root, arguments: arguments) { service in
                let page = try await service.client.call(FeedContract.load, LoadFeed())
                #expect(page.items.map(\.id) == Array(Self.ids.prefix(3)) && page.origin == .cache)
            }
        }
    }

    // MARK: Stores that cannot be opened

    @Test func `an edge without a store serves, and reports that it caches nothing`() async throws {
        try await OriginServer.with(Self.answer) { origin in
            try await withTemporaryDirectory { root in
                // An edge does not use or change an authority's store.
                try await RunningService.with("feed", root: root) { _ in }
                let store = root + "/data/feed.sqlite"
                let before = try Data(contentsOf: URL(filePath: store))
                let arguments = ["--upstream", origin.url + "/base", "--store", store]
                try await RunningService.with("feed", root: root, arguments: arguments) { service in
                    let page = try await service.client.call(FeedContract.load, LoadFeed())
                    #expect(page.items.count == 5 && page.notices == [.notKept])
                    #expect(try await service.client.call(FeedContract.validate, Empty()).outcome == .kept)
                    #expect(
                        try await service.client.call(ProtocolMethods.health, ServiceSelection()).status == .degraded)
                    #expect(service.log.contains("cannot open the store \(store)"))
                }
                #expect(try Data(contentsOf: URL(filePath: store)) == before)
                let outcome = try await Program("feed-service").run(["--root", root, "--strict-store"] + arguments)
                #expect(outcome.status == 70 && outcome.errors.contains(store))
            }
        }
    }

    @Test func `an unreadable store is renamed at the start, and an empty one replaces it`() async throws {
        try await OriginServer.with(Self.answer) { origin in
            try await withTemporaryDirectory { root in
                let data = root + "/data"
                try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
                try Data(repeating: 0x2E, count: 8_192).write(to: URL(filePath: data + "/kept.sqlite"))
                let arguments = ["--upstream", origin.url + "/base", "--store", data + "/kept.sqlite"]
                try await RunningService.with("feed", root: root, arguments: arguments) { service in
                    let page = try await service.client.call(FeedContract.load, LoadFeed())
                    #expect(page.items.count == 5 && page.notices == nil)
                    #expect(
                        try await service.client.call(ProtocolMethods.health, ServiceSelection()).status == .serving)
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: data)
                #expect(names.count { $0.contains(".corrupt-") } == 1 && names.contains("kept.sqlite"))
            }
        }
    }

    // MARK: Options

    /// `UpstreamOptionsTests` tests which are invalid.
    @Test func `an invalid upstream is a usage error`() async throws {
        let outcome = try await Program("feed-service").run(["--root", "/nowhere", "--upstream", "ftp://x.example"])
        #expect(outcome.status == 64 && outcome.errors.contains("ftp"), "\(outcome.errors)")
    }
}
