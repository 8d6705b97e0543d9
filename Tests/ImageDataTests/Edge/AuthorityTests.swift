import Foundation
import ImageData
import ImageDataContract
import RPC
import RPCTestKit
import Testing
import Timing

@testable import image_data_service

/// A service with its own images, which fetches missing ones.
struct AuthorityTests {
    private let answers = Answers(.picture(1))

    // MARK: Fetching

    @Test func `the first load fetches an image, which is then cached as on an edge`() async throws {
        try await withTemporaryDirectory { directory in
            try await withAuthority(in: directory) { origin, service async throws in
                let first = try await service.load(origin.url + "/a")
                #expect(first.data.data == picture(1))
                #expect(first.metadata.source == .remote)
                #expect(first.expiresAt == moment(Double(ImageExpiry.defaultTimeToLive)))
                #expect(try await service.load(origin.url + "/a").metadata.source == .hot)
                #expect(origin.history.requests.count == 1)
            }
            try await withAuthority(in: directory) { origin, service async throws in
                // A URL with another port is a different URL.
                #expect(try await service.failure(origin.url + "/a", nil, .cacheOnly) == .notFound)
            }
        }
    }

    @Test func `fetched bytes expire, bytes that were put do not`() async throws {
        try await withAuthority { origin, service async throws in
            _ = try await service.load(origin.url + "/fetched")
            try await service.put(2, at: origin.url + "/put")
            service.clock.now = moment(Double(ImageExpiry.defaultTimeToLive))
            #expect(try await service.load(origin.url + "/fetched").metadata.source == .remote)
            let put = try await service.load(origin.url + "/put")
            #expect(put.data.data == picture(2) && put.expiresAt == nil && put.stale == nil)
            #expect(origin.history.requests.map(\.path) == ["/fetched", "/fetched"])
        }
    }

    @Test(arguments: [LoadImage.Policy.none, .cold, .hot, .hotOrCold], [LoadImage.Strategy.reload, .cacheElseLoad])
    func `bytes that were put are served with any policy and strategy`(
        policy: LoadImage.Policy, strategy: LoadImage.Strategy
    ) async throws {
        try await withAuthority { origin, service async throws in
            try await service.put(2, at: origin.url)
            let image = try await service.load(origin.url, policy, strategy, ttl: 0)
            #expect(image.data.data == picture(2) && image.metadata.source == .cold)
            #expect(try await service.stream(origin.url).map(\.data.data) == [picture(2)])
            #expect(
                try await service.client.call(ImageDataContract.prefetch, PrefetchImages(urls: [origin.url])).accepted
                    == 0)
            #expect(origin.history.requests.isEmpty)
        }
    }

    @Test func `bytes that are put replace fetched ones, and after their eviction the image is fetched`() async throws {
        try await withAuthority { origin, service async throws in
            _ = try await service.load(origin.url)
            try await service.put(2, at: origin.url)
            for policy in [LoadImage.Policy.hot, .cold, .hotOrCold] {
                #expect(try await service.load(origin.url, policy).data.data == picture(2))
            }
            let evicted = try await service.evict(.urls([origin.url]))
            #expect(evicted == EvictedImages(count: 1, bytes: pictureSize))
            #expect(try await service.failure(origin.url, nil, .cacheOnly) == .notFound)
            #expect(try await service.load(origin.url).data.data == picture(1))
        }
    }

    @Test func `bytes that are put during a fetch are not replaced by it`() async throws {
        try await withAuthority { origin, service async throws in
            let isPut = Watched(false)
            answers.set(.wait { await isPut.wait(until: \.self) }, .picture(1))
            let load = Task { try await service.load(origin.url) }
            await origin.history.wait { $0.requests.count == 1 }
            try await service.put(2, at: origin.url)
            isPut.withLock { $0 = true }
            // This load began before the put.
            #expect(try await load.value.data.data == picture(1))
            for policy in [LoadImage.Policy.hot, .cold, .hotOrCold] {
                #expect(try await service.load(origin.url, policy).data.data == picture(2))
            }
        }
    }

    @Test func `damaged bytes that were put are an error, and the image is not fetched`() async throws {
        try await withTemporaryDirectory { directory in
            try await OriginServer.with(answers.script) { origin in
                var options = EdgeService.Options(directory: directory)
                options.isAuthority = true
                try await EdgeService.with(origin, options) { _ = try await $0.put(2, at: origin.url) }
                try await SQLiteImageStore.opening.open(directory + "/pinned.sqlite").write {
                    try $0.execute(sql: "UPDATE content SET crc32 = crc32 + 1")
                }
                try await EdgeService.with(origin, options) { service async throws in
                    #expect(try await service.failure(origin.url) == .dataLoss)
                    #expect(try await service.failure(origin.url, nil, .reload) == .dataLoss)
                    #expect(origin.history.requests.isEmpty)
                }
            }
        }
    }

    // MARK: Evicting

    @Test(arguments: [
        (2, EvictedImages(count: 0, bytes: 0), [true, true]),
        (1, EvictedImages(count: 1, bytes: pictureSize), [true, false]),
        (0, EvictedImages(count: 2, bytes: 2 * pictureSize), [false, false]),
    ])
    func `down to a size, fetched bytes are evicted before bytes that were put`(
        pictures: Int, expected: EvictedImages, left: [Bool]
    ) async throws {
        try await withAuthority { origin, service async throws in
            try await service.put(2, at: "urn:x:put")
            service.clock.now = moment(60)
            _ = try await service.load(origin.url)
            // The size that the fetched image counts with its URL.
            let overhead = pictures == 2 ? 1_000 : 0
            let evicted = try await service.evict(.toBytes(pictures * pictureSize + overhead))
            #expect(evicted == expected)
            let found = [
                try await service.failure("urn:x:put", nil, .cacheOnly) == nil,
                try await service.failure(origin.url, nil, .cacheOnly) == nil,
            ]
            #expect(found == left)
        }
    }

    // MARK: Without fetching

    @Test func `a service with --no-fetch serves only bytes that were put`() async throws {
        var options = EdgeService.Options()
        (options.isAuthority, options.fetches) = (true, false)
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin, options) { service async throws in
                #expect(try await service.failure(origin.url) == .notFound)
                #expect(try await service.failure(origin.url, nil, .reload) == .notFound)
                #expect(try await service.check(origin.url) == .absent)
                #expect(
                    try await service.client.call(ImageDataContract.prefetch, PrefetchImages(urls: [origin.url]))
                        .accepted == 0)
                try await service.put(2, at: origin.url)
                #expect(try await service.load(origin.url).data.data == picture(2))
                #expect(try await service.check(origin.url) == .kept)
                #expect(origin.history.requests.isEmpty)
            }
        }
    }

    // MARK: Checking

    /// `UpstreamTests` have the addresses that are refused.
    @Test(arguments: [
        ("http://10.1.2.3/", ErrorKind.permissionDenied), ("urn:x:y", .permissionDenied),
        ("http://pictures.example/a b", .invalidParams),
    ])
    func `a URL that is never fetched is refused without a request`(url: String, kind: ErrorKind) async throws {
        try await withAuthority { origin, service async throws in
            let error = await #expect(throws: RPCError.self) { try await service.check(url) }
            #expect(error?.kind == kind, "\(String(describing: error))")
            #expect(origin.history.connections == 0)
        }
    }

    @Test func `a URL that may be fetched is accepted, even if its host does not answer now`() async throws {
        try await withAuthority { origin, service async throws in
            #expect(try await service.check(origin.url) == .fetched)
            #expect(try await service.check("https://no-such-host.invalid/a.jpg") == .fetched)
            #expect(origin.history.connections == 0)
            _ = try await service.load(origin.url)
            #expect(try await service.check(origin.url) == .kept)
        }
    }

    @Test func `an edge rejects checks`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service async throws in
                let error = await #expect(throws: RPCError.self) { try await service.check("http://10.0.0.1/") }
                #expect(error?.kind == .readOnly)
            }
        }
    }

    private func withAuthority(
        in directory: String? = nil, _ body: (OriginServer, EdgeService) async throws -> Void
    ) async throws {
        var options = EdgeService.Options(directory: directory)
        options.isAuthority = true
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin, options) { try await body(origin, $0) }
        }
    }
}
