import EdgeModel
import Foundation
import ImageData
import ImageDataContract
import NIOCore
import RPC
import RPCTestKit
import Testing

@testable import image_data_service

/// Loads of variants through the service, with a script in place of `vipsthumbnail`.
struct VariantLoadTests {
    private let time = ManualClock()

    /// A picture of 1,000 × `number` pixels, larger than every variant of the script.
    private static func wide(_ number: Int) -> Data {
        let filler = PNGBytes.chunk("tEXt", zeros(5_000))
        let start = PNGBytes.signature + PNGBytes.header(1_000, number) + filler
        return Data(start + PNGBytes.data + PNGBytes.end)
    }

    private static let made = stored(1).record.hash.hex

    private func with(
        _ script: String = "cat >/dev/null; cat $OUT", authority: Bool = false,
        in directory: String? = nil, _ body: @escaping (EdgeService, FakeThumbnailer, OriginServer) async throws -> Void
    ) async throws {
        var options = EdgeService.Options(directory: directory, time: time)
        options.isAuthority = authority
        try await withFake(script) { [options] fake in
            try await OriginServer.with({ _ in [.response(200, body: [UInt8](Self.wide(7)))] }) { origin in
                var options = options
                options.variants = fake.maker(time: time)
                try await EdgeService.with(origin, options) { try await body($0, fake, origin) }
            }
        }
    }

    private func load(
        _ service: EdgeService, _ url: String, _ width: Int? = 640, _ change: LoadImage.Policy? = nil, ttl: Int? = nil,
        accept: [LoadImage.VariantType]? = nil
    ) async throws -> LoadedImage {
        try await service.client.call(
            ImageDataContract.load,
            LoadImage(url: url, policy: change, timeToLive: ttl, width: width, accept: accept),
            CallOptions(timeout: .minutes(5)))
    }

    @Test func `a variant of a put image is made once, then found in memory`() async throws {
        try await with(authority: true) { service, fake, _ async throws in
            let put = try await service.client.call(ImageDataContract.put, PutImage(data: RPC.Bytes(Self.wide(500))))
            #expect((put.hints.width, put.hints.height) == (1_000, 500) && put.hints.placeholder?.columns == 5)
            let runs = fake.runs.count
            for source in [ImageMetadata.Source.cold, .hot, .hot] {
                let image = try await load(service, put.url)
                #expect(image.data.data == FakeThumbnailer.output && image.metadata.contentType == "image/png")
                #expect(image.metadata.sha256 == Self.made && image.metadata.source == source)
                #expect(image.metadata.size == pictureSize && image.expiresAt == nil)
            }
            // 639 and 640 are the same variant.
            _ = try await load(service, put.url, 639)
            #expect(fake.runs.count == runs + 1)
            _ = try await load(service, put.url, 320)
            #expect(fake.runs.count == runs + 2)
            // The original is unchanged.
            #expect(try await load(service, put.url, nil).data.data == Self.wide(500))
        }
    }

    @Test func `a put that defers the placeholder answers without it, until somebody has asked for it`() async throws {
        try await with(authority: true) { service, fake, _ async throws in
            let data = RPC.Bytes(Self.wide(500))
            let deferring = PutImage(data: data, defersPlaceholder: true)
            let put = try await service.client.call(ImageDataContract.put, deferring)
            #expect(put.hints == PictureHints(width: 1_000, height: 500) && fake.runs.isEmpty)
            let waiting = try await service.client.call(ImageDataContract.put, PutImage(data: data))
            #expect(waiting.hints.placeholder != nil)
            #expect(try await service.client.call(ImageDataContract.put, deferring) == waiting)
        }
    }

    @Test(arguments: [961, 1_000, 1_281, 50_000_000]) func `an image that is not wider is served itself`(
        width: Int
    ) async throws {
        try await with(authority: true) { service, fake, _ async throws in
            let put = try await service.client.call(ImageDataContract.put, PutImage(data: RPC.Bytes(Self.wide(500))))
            let runs = fake.runs.count
            #expect(try await load(service, put.url, width).data.data == Self.wide(500))
            #expect(fake.runs.count == runs)
        }
    }

    @Test func `an edge fetches the original once, and makes its variants itself`() async throws {
        try await with { service, fake, origin async throws in
            for (number, source) in [ImageMetadata.Source.remote, .hot, .hot].enumerated() {
                let image = try await load(service, origin.url)
                #expect(image.metadata.sha256 == Self.made && image.metadata.source == source, "\(number)")
                #expect(image.expiresAt != nil && image.stale == nil)
            }
            #expect(origin.history.requests.count == 1 && fake.runs.count == 1)
            #expect(try await service.stat(origin.url).hints == PictureHints(width: 1_000, height: 7))
        }
    }

    @Test func `concurrent loads share one fetch and one process`() async throws {
        try await with { service, fake, origin async throws in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await load(service, origin.url).metadata.sha256 } }
                for try await hash in group { #expect(hash == Self.made) }
            }
            #expect(origin.history.requests.count == 1 && fake.runs.count == 1)
        }
    }

    @Test func `a variant survives a restart on disk`() async throws {
        try await withTemporaryDirectory { directory in
            for (source, runs) in [(ImageMetadata.Source.remote, 1), (.cold, 0)] {
                try await with(in: directory) { service, fake, origin async throws in
                    // The same URL in both runs; only the first one fetches.
                    let url = "http://pictures.example/a"
                    if runs == 1 {
                        let image = try StoredImage(ImageDataMapper().map(Self.wide(9)), storedAt: service.clock.read())
                        await service.caches.cold.keep(CachedImage(image), at: url, while: { true })
                    }
                    let loaded = try await load(service, url)
                    #expect(loaded.metadata.sha256 == Self.made && fake.runs.count == runs)
                    #expect(loaded.metadata.source == .cold, "\(source)")
                }
            }
        }
    }

    @Test func `expired bytes are fetched again, and their variant remains`() async throws {
        try await with { service, fake, origin async throws in
            _ = try await load(service, origin.url)
            let image = try await load(service, origin.url, ttl: 0)
            #expect(image.metadata.source == .remote && image.metadata.sha256 == Self.made)
            #expect(origin.history.requests.count == 2 && fake.runs.count == 1)
        }
    }

    @Test func `without caches a variant is made for each load`() async throws {
        try await with { service, fake, origin async throws in
            for _ in 0..<2 {
                #expect(try await load(service, origin.url, 640, LoadImage.Policy.none).metadata.sha256 == Self.made)
            }
            #expect(origin.history.requests.count == 2 && fake.runs.count == 2)
            await #expect(throws: RPCError.self) { try await service.load(origin.url, .hotOrCold, .cacheOnly) }
        }
    }

    @Test(arguments: [EvictImages.urls([]), .olderThan(seconds: 0), .toBytes(0)])
    func `an evicted image has no variant left`(eviction: EvictImages) async throws {
        try await with(authority: true) { service, fake, _ async throws in
            let put = PutImage(data: RPC.Bytes(Self.wide(500)))
            let url = try await service.client.call(ImageDataContract.put, put).url
            _ = try await load(service, url)
            let evicted = try await service.evict(eviction == .urls([]) ? .urls([url]) : eviction)
            #expect(evicted == EvictedImages(count: 1, bytes: Self.wide(500).count))
            await #expect(throws: RPCError.self) { try await load(service, url) }
            let variant = Variant(
                of: ContentHash(of: Self.wide(500)), width: 640, format: .png)
            #expect(service.caches.hot.variant(variant) == nil)
            #expect(await service.caches.cold.variant(variant) == nil)
            #expect(await service.caches.cold.facts(of: variant.original) == nil)
            _ = try await service.client.call(ImageDataContract.put, put)
            let runs = fake.runs.count
            _ = try await load(service, url)
            #expect(fake.runs.count == runs + 1)
        }
    }

    @Test(arguments: [EvictImages.urls(["urn:x:1"]), .olderThan(seconds: 5), .toBytes(wide(500).count)])
    func `an eviction leaves the facts of what remains`(eviction: EvictImages) async throws {
        try await with(authority: true) { service, _, _ async throws in
            // The last two are the same bytes.
            for (number, height) in [(0, 400), (1, 500), (2, 500)] {
                service.clock.now = moment(number == 2 ? 10 : 0)
                let put = PutImage(data: RPC.Bytes(Self.wide(height)), url: "urn:x:\(number)")
                #expect(try await service.client.call(ImageDataContract.put, put).hints.placeholder != nil)
            }
            #expect(try await service.evict(eviction).count == (eviction == .olderThan(seconds: 5) ? 2 : 1))
            let facts = try await service.client.call(ImageDataContract.facts, FactSelection(urls: ["urn:x:2"])).facts
            #expect(facts["urn:x:2"]?.width == 1_000 && facts["urn:x:2"]?.placeholder != nil)
        }
    }

    @Test func `an eviction during the making prevents the storing`() async throws {
        try await with(
            "cat >/dev/null; read x <$GO; cat $OUT"
        ) {
            service, fake, origin async throws in
            async let image = load(service, origin.url)
            await fake.wait(runs: 1)
            _ = try await service.evict(.urls([origin.url]))
            fake.go()
            #expect(try await image.metadata.sha256 == Self.made)
            let variant = Variant(of: ContentHash(of: Self.wide(7)), width: 640, format: .png)
            #expect(service.caches.hot.variant(variant) == nil)
            #expect(await service.caches.cold.variant(variant) == nil)
        }
    }

    @Test func `a variant that waits holds no bytes of its original`() async throws {
        try await with { service, fake, origin async throws in
            let slots = try #require(service.loader.variants?.slots)
            let gates = (0..<slots.permits).map { _ in AsyncStream.makeStream(of: Void.self) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (taken, _) in gates { group.addTask { try await slots.withPermit { for await _ in taken {} } } }
                await slots.wait { $0.running == slots.permits }
                group.addTask { () async throws in
                    // The bytes of the waiting variant are evicted, so the image is fetched again.
                    #expect(try await load(service, origin.url).data.data == Self.wide(7))
                }
                await slots.wait { $0.waiting == 1 }
                _ = try await service.evict(.urls([origin.url]))
                for (_, gate) in gates { gate.finish() }
                try await group.waitForAll()
            }
            #expect(origin.history.requests.count == 2 && fake.runs.isEmpty)
        }
    }

    @Test(arguments: ["cat >/dev/null; exit 1", "exit 0", "cat >/dev/null; cat /dev/zero"])
    func `when no variant can be made, the original is served`(script: String) async throws {
        try await with(script) { service, fake, origin async throws in
            for _ in 0..<3 { #expect(try await load(service, origin.url).data.data == Self.wide(7)) }
            #expect(fake.runs.count == 1)
        }
    }

    @Test func `the process is killed when the last call is cancelled`() async throws {
        try await with("cat >/dev/null; sleep 600") { service, fake, origin async throws in
            let tasks = (0..<3).map { _ in Task { try await load(service, origin.url) } }
            await fake.wait(runs: 1)
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
            await service.loader.variants?.slots.wait { $0 == .none }
            #expect(fake.running == 0)
        }
    }

    // MARK: Facts

    @Test func `facts are of stored images, and found in the background`() async throws {
        try await with(authority: true) { service, _, origin async throws in
            let put = try await service.client.call(ImageDataContract.put, PutImage(data: RPC.Bytes(Self.wide(500))))
            _ = try await service.load(origin.url)
            let ask = {
                try await service.client.call(
                    ImageDataContract.facts, FactSelection(urls: [put.url, origin.url, "urn:x:y"]))
            }
            var facts = try await ask().facts
            #expect(facts[put.url] == put.hints && facts.keys.allSatisfy { $0 != "urn:x:y" })
            await service.finder.waitUntilIdle()
            facts = try await ask().facts
            #expect(facts[origin.url]?.width == 1_000 && facts[origin.url]?.height == 7)
            #expect(facts[origin.url]?.placeholder != nil)
        }
    }

    @Test func `a put waits two seconds for its placeholder, which is found later`() async throws {
        try await with("cat >/dev/null; sleep 600", authority: true) { service, fake, _ async throws in
            let put = Task {
                try await service.client.call(ImageDataContract.put, PutImage(data: RPC.Bytes(Self.wide(500))))
            }
            await fake.wait(runs: 1)
            await time.waitForTimer(in: .seconds(2))
            await time.advance(by: .seconds(2) - .nanoseconds(1))
            #expect(fake.running == 1)
            await time.advance(by: .nanoseconds(1))
            let answer = try await put.value
            #expect(answer.hints == PictureHints(width: 1_000, height: 500))
            await service.loader.variants?.slots.wait { $0 == .none }
            #expect(fake.running == 0)
            // A slow picture is not refused.
            try fake.change(to: "cat >/dev/null; cat $OUT")
            let ask = {
                try await service.client.call(ImageDataContract.facts, FactSelection(urls: [answer.url])).facts
            }
            _ = try await ask()
            await service.finder.waitUntilIdle()
            let hints = try await ask()[answer.url]
            #expect(hints?.width == 1_000 && hints?.placeholder != nil)
        }
    }

    @Test func `without variants images have a size and no placeholder`() async throws {
        try await withTemporaryDirectory { _ in
            var options = EdgeService.Options()
            options.isAuthority = true
            try await OriginServer.with({ _ in [] }) { [options] origin in
                try await EdgeService.with(origin, options) { service in
                    let put = try await service.client.call(
                        ImageDataContract.put, PutImage(data: RPC.Bytes(Self.wide(500))))
                    #expect(put.hints == PictureHints(width: 1_000, height: 500))
                    #expect(try await load(service, put.url).data.data == Self.wide(500))
                }
            }
        }
    }
}
