import EdgeKit
import Foundation
import ImageData
import ImageDataContract
import Logging
import RPC
import RPCTestKit
import SQLiteKit
import ServiceKit
import Synchronization
import Timing
import Upstream

@testable import image_data_service

/// A service that fetches from a test server, with real sockets on both sides: an edge or an authority.
struct EdgeService {
    let path: SocketPath
    let client: RPCClient
    let clock: TestClock
    let loader: ImageLoader
    let fetches: ImageFetches
    let finder: FactsFinder

    var caches: ImageCaches { loader.caches }

    /// The options of a test.
    struct Options {
        var directory: String?

        /// Whether bytes can be put.
        var isAuthority = false

        /// Whether the service fetches.
        var fetches = true
        var isCached = true
        var maximumBytes = ImageDataMapper.defaultMaximumBytes
        var concurrency = FetchQueue.defaultConcurrency
        var hotBytes = HotImages.defaultBudget
        var coldBytes = SQLiteImageCache.defaultBudget
        var clock = TestClock()
        var time: any MonotonicClock = .system
        var limits = UpstreamLimits()
        var variants: VariantMaker?
    }

    /// Runs the service during `body`.
    /// - Parameter directory: for the cache, if it is needed again later.
    static func with(
        _ origin: OriginServer, _ options: Options = Options(), _ body: (EdgeService) async throws -> Void
    ) async throws {
        guard let directory = options.directory else {
            return try await withTemporaryDirectory { directory in
                var options = options
                options.directory = directory
                try await with(origin, options, body)
            }
        }
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint(origin.authority)]
        settings.limits = options.limits
        let upstream = UpstreamClient(settings, clock: options.time)
        let base = try UpstreamBase(origin.url)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let path = directory + "/edge.sqlite"
        let disk = SQLiteImageCache(try SQLiteImageCache.opening.open(path), budget: options.coldBytes)
        let pool = options.isAuthority ? try SQLiteImageStore.opening.open(directory + "/pinned.sqlite") : nil
        let caches = ImageCaches(
            hot: HotImages(budget: options.hotBytes),
            cold: options.isCached ? ColdImages(cache: disk, logger: logger) : ColdImages(cache: nil, logger: logger),
            pinned: pool.map { SQLiteImageStore($0) })
        let mapper = ImageDataMapper(maximumBytes: options.maximumBytes)
        let source = ImageOrigin(
            get: ImageOrigin.get(
                TracedUpstream(upstream, of: base, profiler: Profiler([], logger: logger), logger: logger), base,
                UpstreamMonitor(base, logger: logger)),
            mapper: mapper, caches: caches, now: options.clock.read, clock: options.time)
        let fetches = ImageFetches(
            queue: FetchQueue(concurrency: options.concurrency), clock: options.time, fetch: source.image)
        let loader = ImageLoader(
            caches: caches, fetches: options.fetches ? fetches : nil, variants: options.variants,
            timeToLive: ImageExpiry.defaultTimeToLive, now: options.clock.read, clock: options.time)
        let finder = FactsFinder(clock: options.time)
        let handlers = ImageDataHandlers(
            loader: loader, mapper: mapper, check: options.fetches ? ImageOrigin.check(upstream) : nil,
            finder: finder, onDamage: { _, _ in })
        let executor = LoopExecutor.timed(by: options.time)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fetches.run() }
            group.addTask { await handlers.run() }
            try await TestServer.with(handlers.table, executor: executor) { server in
                try await RPCClient.withConnection(to: server.path, as: "test", executor: executor) { client in
                    try await body(
                        EdgeService(
                            path: server.path, client: client, clock: options.clock, loader: loader, fetches: fetches,
                            finder: finder))
                }
            }
            group.cancelAll()
        }
        await upstream.shutdown()
        await disk.writeUses()
        try disk.store.close()
        try pool?.close()
    }

    func load(
        _ url: String, _ policy: LoadImage.Policy? = nil, _ strategy: LoadImage.Strategy? = nil, ttl: Int? = nil,
        options: CallOptions = CallOptions(timeout: .minutes(10))
    ) async throws -> LoadedImage {
        try await client.call(
            ImageDataContract.load, LoadImage(url: url, policy: policy, strategy: strategy, timeToLive: ttl), options)
    }

    /// The answers of `cache_then_load`.
    func stream(_ url: String, ttl: Int? = nil) async throws -> [LoadedImage] {
        try await client.withStream(
            ImageDataContract.loadStream, LoadImage(url: url, strategy: .cacheThenLoad, timeToLive: ttl)
        ) { stream in
            var images: [LoadedImage] = []
            for try await image in stream { images.append(image) }
            return images
        }
    }

    /// The kind of the error of a load.
    func failure(
        _ url: String, _ policy: LoadImage.Policy? = nil, _ strategy: LoadImage.Strategy? = nil, ttl: Int? = nil
    ) async throws -> ErrorKind? {
        do {
            _ = try await load(url, policy, strategy, ttl: ttl)
            return nil
        } catch let error as RPCError {
            return error.kind
        }
    }

    @discardableResult
    func put(_ number: Int, at url: String) async throws -> PutAnswer {
        try await client.call(
            ImageDataContract.put, PutImage(data: RPC.Bytes(ImageDataTests.picture(number)), url: url))
    }

    func evict(_ eviction: EvictImages) async throws -> EvictedImages {
        try await client.call(ImageDataContract.evict, eviction)
    }

    func check(_ url: String) async throws -> CheckedImage.Availability {
        try await client.call(ImageDataContract.check, ImageSelection(url: url)).availability
    }

    func stat(_ url: String) async throws -> ImageMetadata {
        try await client.call(ImageDataContract.stat, ImageSelection(url: url))
    }

    /// Whether no fetch is in progress and no caller waits.
    var isIdle: Bool { fetches.load == .none }

    func waitUntilIdle() async { await fetches.wait { $0 == .none } }
}

extension OriginStep {
    /// An answer with the image of this number, and with further headers.
    static func picture(_ number: Int, _ headers: [(String, String)] = []) -> OriginStep {
        .response(200, [("Content-Type", "text/plain")] + headers, body: [UInt8](ImageDataTests.picture(number)))
    }
}

/// The answers of a test server, which may change.
final class Answers: Sendable {
    private let state: Mutex<[OriginStep]>

    init(_ steps: OriginStep...) { state = Mutex(steps) }

    func set(_ steps: OriginStep...) { set(steps) }

    func set(_ steps: [OriginStep]) { state.withLock { $0 = steps } }

    @Sendable func script(_ request: RPCTestKit.OriginRequest) -> [OriginStep] { state.withLock { $0 } }
}
