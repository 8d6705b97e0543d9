import Foundation
import ImageData
import ImageDataContract
import RPC
import RPCTestKit
import Testing

@testable import image_data_service

/// The sources of bytes, and the caches that store them.
struct EdgeSourceTests {
    private let answers = Answers(.picture(1))

    // MARK: Sources

    @Test func `an image is served from its origin, then from memory`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                let first = try await service.load(origin.url + "/a")
                #expect(first.data.data == picture(1))
                #expect(first.metadata.source == .remote)
                #expect(first.metadata.contentType == "image/png")
                #expect(first.metadata.sha256 == ContentHash(of: picture(1)).hex)
                #expect(first.metadata.storedAt == moment(0))
                #expect(first.stale == nil)
                #expect(try await service.load(origin.url + "/a").metadata.source == .hot)
                #expect(origin.history.requests.count == 1)
            }
        }
    }

    @Test func `after a restart bytes are read from disk, then from memory`() async throws {
        try await withTemporaryDirectory { directory in
            try await OriginServer.with(answers.script) { origin in
                let options = EdgeService.Options(directory: directory)
                try await EdgeService.with(origin, options) { _ = try await $0.load(origin.url + "/a") }
                try await EdgeService.with(origin, options) { service in
                    for source in [ImageMetadata.Source.cold, .hot] {
                        let image = try await service.load(origin.url + "/a")
                        #expect(image.data.data == picture(1))
                        #expect(image.metadata.source == source)
                        #expect(try await service.stat(origin.url + "/a").source == .hot)
                    }
                }
                #expect(origin.history.requests.count == 1)
            }
        }
    }

    @Test func `bytes evicted from memory are read from disk`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin, EdgeService.Options(hotBytes: 0)) { service in
                let sources = try await [
                    service.load(origin.url), service.load(origin.url), service.load(origin.url),
                ].map(\.metadata.source)
                #expect(sources == [.remote, .cold, .cold])
                #expect(try await service.stat(origin.url).source == .cold)
            }
        }
    }

    @Test func `a service without a cache on disk serves images`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin, EdgeService.Options(isCached: false)) { service in
                let source = try await service.load(origin.url).metadata.source
                #expect(source == .remote)
                #expect(try await service.load(origin.url).metadata.source == .hot)
                #expect(try await service.load(origin.url, .cold).metadata.source == .remote)
            }
        }
    }

    // MARK: Policies

    @Test(arguments: [
        (LoadImage.Policy.none, nil), (.cold, ImageMetadata.Source.cold), (.hot, .hot), (.hotOrCold, .hot),
    ])
    func `only the caches of the policy are read and written`(
        policy: LoadImage.Policy, source: ImageMetadata.Source?
    ) async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                _ = try await service.load(origin.url, policy)
                #expect(try await service.load(origin.url, policy).metadata.source == source ?? .remote)
                #expect((service.caches.hot.peek(origin.url) != nil) == [.hot, .hotOrCold].contains(policy))
                #expect(
                    (await service.caches.cold.record(at: origin.url) != nil) == [.cold, .hotOrCold].contains(policy))
                #expect(origin.history.requests.count == (source == nil ? 2 : 1))
            }
        }
    }

    @Test(arguments: [LoadImage.Policy.none, .cold, .hot]) func `caches outside of the policy are not read`(
        policy: LoadImage.Policy
    ) async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                if policy != .hot { _ = try await service.load(origin.url, .hot) }
                if policy != .cold { _ = try await service.load(origin.url, .cold) }
                #expect(try await service.failure(origin.url, policy, .cacheOnly) == .notFound)
                #expect(try await service.load(origin.url, policy).metadata.source == .remote)
            }
        }
    }

    /// Even if the origin answers that nothing has changed.
    @Test func `a renewed image is stored only in the caches of the policy`() async throws {
        try await OriginServer.with { request in
            request["if-none-match"] == nil ? [.picture(1, [("ETag", "\"1\"")])] : [.response(304)]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                _ = try await service.load(origin.url, .cold)
                #expect(try await service.load(origin.url, .cold, .reload).metadata.source == .remote)
                #expect(origin.history.requests.map { $0["if-none-match"] } == [nil, "\"1\""])
                #expect(service.caches.hot.peek(origin.url) == nil)
            }
        }
    }

    // MARK: Strategies

    @Test func `a reload always requests the origin`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                _ = try await service.load(origin.url)
                answers.set(.picture(2))
                service.clock.now = moment(60)
                let reloaded = try await service.load(origin.url, nil, .reload)
                #expect(reloaded.data.data == picture(2))
                #expect(reloaded.metadata.source == .remote)
                let kept = try await service.load(origin.url)
                #expect(kept.data.data == picture(2))
                #expect(kept.metadata.storedAt == moment(60))
                #expect(try await service.load(origin.url, .cold).data.data == picture(2))
            }
        }
    }

    @Test func `cache_only never fetches`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                #expect(try await service.failure(origin.url, nil, .cacheOnly) == .notFound)
                #expect(origin.history.requests.isEmpty)
                _ = try await service.load(origin.url)
                #expect(try await service.load(origin.url, nil, .cacheOnly).metadata.source == .hot)
                service.clock.now = moment(10)
                #expect(try await service.failure(origin.url, nil, .cacheOnly, ttl: 10) == .notFound)
                #expect(try await service.failure(origin.url, nil, .cacheOnly, ttl: 11) == nil)
            }
        }
    }

    @Test func `cache_then_load has two answers`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                #expect(try await service.stream(origin.url).map(\.metadata.source) == [.remote])
                answers.set(.picture(2))
                let images = try await service.stream(origin.url)
                #expect(images.map(\.metadata.source) == [.hot, .remote])
                #expect(images.map(\.data.data) == [picture(1), picture(2)])
            }
        }
    }

    @Test func `cache_then_load must be called as a stream`() async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                let kind = try await service.failure(origin.url, nil, .cacheThenLoad)
                #expect(kind == .invalidParams)
            }
        }
    }

    @Test(arguments: [LoadImage.Strategy.cacheElseLoad, .reload, .cacheOnly])
    func `any other strategy is a stream with one answer`(strategy: LoadImage.Strategy) async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                _ = try await service.load(origin.url)
                let sources = try await service.client.withStream(
                    ImageDataContract.loadStream, LoadImage(url: origin.url, strategy: strategy)
                ) { stream in
                    var sources: [ImageMetadata.Source] = []
                    for try await image in stream { sources.append(image.metadata.source) }
                    return sources
                }
                #expect(sources == [strategy == .reload ? .remote : .hot])
            }
        }
    }

    // MARK: Time to live

    @Test(arguments: [LoadImage.Policy.hot, .cold], [(9, 1), (10, 2), (11, 2)])
    func `bytes expire exactly at the end of their time to live, in memory and on disk`(
        policy: LoadImage.Policy, expected: (age: TimeInterval, requests: Int)
    ) async throws {
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                _ = try await service.load(origin.url, policy)
                service.clock.now = moment(expected.age)
                _ = try await service.load(origin.url, policy, ttl: 10)
                #expect(origin.history.requests.count == expected.requests)
            }
        }
    }

    @Test func `bytes that were fetched now are fresh, however old the origin says that they are`() async throws {
        answers.set(.picture(1, [("Age", "1000")]))
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin) { service in
                let first = try await service.load(origin.url, ttl: 10).metadata
                #expect(first.storedAt == moment(0) && first.age == 1_000)
                service.clock.now = moment(9)
                let second = try await service.load(origin.url, ttl: 10).metadata
                #expect(second.source == .hot && second.age == 1_000)
                service.clock.now = moment(10)
                let third = try await service.load(origin.url, ttl: 10).metadata
                #expect(third.source == .remote)
            }
        }
    }
}
