import Foundation
import ImageData
import ImageDataContract
import RPC
import RPCTestKit
import Testing

@testable import image_data_service

/// The other methods of an edge.
struct EdgeMethodTests {
    @Test func `an edge rejects put`() async throws {
        try await withService { _, service in
            let error = await #expect(throws: RPCError.self) {
                try await service.client.call(ImageDataContract.put, PutImage(data: RPC.Bytes(picture(1))))
            }
            #expect(error?.kind == .readOnly)
        }
    }

    @Test func `metadata has the place of the bytes`() async throws {
        try await withService { origin, service in
            await #expect(throws: RPCError.self) { try await service.stat(origin.url) }
            _ = try await service.load(origin.url, .cold)
            #expect(try await service.stat(origin.url).source == .cold)
            _ = try await service.load(origin.url)
            let metadata = try await service.stat(origin.url)
            #expect(metadata.source == .hot)
            #expect(metadata.size == pictureSize)
            #expect(origin.history.requests.count == 1)
        }
    }

    @Test(arguments: [
        (LoadImage.Policy.none, EvictedImages(count: 0, bytes: 0)),
        (.hot, EvictedImages(count: 1, bytes: pictureSize)), (.cold, EvictedImages(count: 1, bytes: pictureSize)),
        (.hotOrCold, EvictedImages(count: 1, bytes: pictureSize)),
    ])
    func `evicted bytes are counted once, whichever caches had them`(policy: LoadImage.Policy, expected: EvictedImages)
        async throws
    {
        for eviction in [EvictImages.olderThan(seconds: 5), .toBytes(0)] {
            try await withService { origin, service in
                _ = try await service.load(origin.url, policy)
                service.clock.now = moment(5)
                #expect(try await service.client.call(ImageDataContract.evict, eviction) == expected)
                #expect(try await service.failure(origin.url, nil, .cacheOnly) == .notFound)
            }
        }
        try await withService { origin, service in
            _ = try await service.load(origin.url, policy)
            let answer = try await service.client.call(ImageDataContract.evict, .urls([origin.url, origin.url]))
            #expect(answer == expected)
            #expect(try await service.failure(origin.url, nil, .cacheOnly) == .notFound)
        }
    }

    @Test func `prefetched images are stored, failed ones are not`() async throws {
        try await withService { origin, service in
            let urls = [origin.url + "/a", origin.url + "/missing", "http://10.0.0.1/b", origin.url + "/a"]
            let answer = try await service.client.call(ImageDataContract.prefetch, PrefetchImages(urls: urls))
            #expect(answer.accepted == 3)
            #expect(try await service.load(urls[0], nil, .cacheOnly).metadata.source == .hot)
            #expect(try await service.failure(urls[1], nil, .cacheOnly) == .notFound)
        }
    }

    @Test(arguments: [false, true]) func `a prefetch fetches expired bytes again, but not bytes that were put`(
        isPut: Bool
    ) async throws {
        try await OriginServer.with({ _ in [.picture(1)] }) { origin in
            var options = EdgeService.Options()
            options.isAuthority = true
            try await EdgeService.with(origin, options) { service in
                if isPut { try await service.put(1, at: origin.url) } else { _ = try await service.load(origin.url) }
                service.clock.advance(TimeInterval(ImageExpiry.defaultTimeToLive))
                let prefetch = PrefetchImages(urls: [origin.url])
                #expect(try await service.client.call(ImageDataContract.prefetch, prefetch).accepted == (isPut ? 0 : 1))
                #expect(origin.history.requests.count == (isPut ? 0 : 2))
            }
        }
    }

    @Test func `damaged bytes are fetched again`() async throws {
        try await withTemporaryDirectory { directory in
            try await OriginServer.with { request in
                request["if-none-match"] == nil ? [.picture(1, [("ETag", "\"1\"")])] : [.response(304)]
            } _: { origin in
                let options = EdgeService.Options(directory: directory)
                try await EdgeService.with(origin, options) { _ = try await $0.load(origin.url) }
                try await SQLiteImageCache.opening.open(directory + "/edge.sqlite").write {
                    try $0.execute(sql: "UPDATE bytes SET data = zeroblob(length(data))")
                }
                try await EdgeService.with(origin, options) { service in
                    let image = try await service.load(origin.url)
                    #expect(image.data.data == picture(1))
                    #expect(image.metadata.source == .remote)
                    #expect(try await service.load(origin.url, .cold).metadata.source == .cold)
                }
            }
        }
    }

    private func withService(_ body: (OriginServer, EdgeService) async throws -> Void) async throws {
        try await OriginServer.with { request in
            request.path == "/missing" ? [.response(404)] : [.picture(1)]
        } _: { origin in
            try await EdgeService.with(origin) { try await body(origin, $0) }
        }
    }
}
