import Foundation
import ImageData
import ImageDataContract
import Logging
import RPC
import RPCTestKit
import Testing
import Timing

@testable import image_data_service

/// An acknowledged eviction applies to all fetches that began before it.
struct EvictionRaceTests {
    private let answers = Answers(.picture(1))

    @Test(arguments: [EvictImages.urls(["self"]), .olderThan(seconds: 0), .toBytes(0)], [true, false])
    func `a fetch that began before an eviction stores nothing`(eviction: EvictImages, isCached: Bool) async throws {
        let isEvicted = Watched(false)
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service async throws in
                if isCached { _ = try await service.load(origin.url) }
                answers.set(.wait { await isEvicted.wait(until: \.self) }, .picture(2))
                let load = Task { try await service.load(origin.url, nil, .reload) }
                await origin.history.wait { $0.requests.count == (isCached ? 2 : 1) }
                let evicted = try await service.evict(eviction == .urls(["self"]) ? .urls([origin.url]) : eviction)
                #expect(evicted.count <= 1)

                // A load from now on gets the current bytes of the origin.
                answers.set(.picture(3))
                #expect(try await service.load(origin.url).data.data == picture(3))
                isEvicted.withLock { $0 = true }
                #expect(try await load.value.data.data == picture(2))
                for policy in [LoadImage.Policy.hot, .cold] {
                    #expect(try await service.load(origin.url, policy, .cacheOnly).data.data == picture(3))
                }
                #expect(service.isIdle)
            }
        }
    }

    @Test func `an eviction of other images does not prevent storing`() async throws {
        let isEvicted = Watched(false)
        answers.set(.wait { await isEvicted.wait(until: \.self) }, .picture(1))
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service async throws in
                let load = Task { try await service.load(origin.url + "/a") }
                await origin.history.wait { $0.requests.count == 1 }
                _ = try await service.evict(.urls([origin.url + "/b"]))
                isEvicted.withLock { $0 = true }
                _ = try await load.value
                for policy in [LoadImage.Policy.hot, .cold] {
                    #expect(try await service.load(origin.url + "/a", policy, .cacheOnly).data.data == picture(1))
                }
            }
        }
    }

    @Test func `bytes read from disk before an eviction are not stored in memory after it`() {
        let hot = HotImages(budget: 1_000_000)
        let before = hot.evictions
        _ = hot.evict(.urls(["b"]))
        hot.keep(cached(1), at: "a", unlessMoreThan: before)
        #expect(hot.peek("a") == nil)
        hot.keep(cached(1), at: "a", unlessMoreThan: hot.evictions)
        #expect(hot.peek("a") == cached(1))
    }

    @Test(arguments: [Eviction.urls(["urn:a"]), .downTo(bytes: 0)])
    func `the record of bytes that were put is read once, and again after an eviction`(eviction: Eviction) async throws
    {
        let store = InMemoryImageStore()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let caches = ImageCaches(
            hot: HotImages(budget: 0), cold: ColdImages(cache: nil, logger: logger), pinned: store)
        #expect(try await caches.recentRecord(at: "urn:a")?.record == nil)
        try await store.put(stored(1), at: "urn:a")
        #expect(try await caches.recentRecord(at: "urn:a")?.record == stored(1).record)
        // Not through the caches, so that they do not know it.
        _ = await store.evict(.urls(["urn:a"]))
        #expect(try await caches.recentRecord(at: "urn:a")?.place == .pinned)
        _ = try await caches.evict(eviction)
        #expect(try await caches.recentRecord(at: "urn:a") == nil)
    }
}
