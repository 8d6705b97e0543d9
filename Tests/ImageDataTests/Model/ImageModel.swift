import Foundation
import ImageData
import Logging
import NIOCore
import RPC
import RPCTestKit
import Testing
import Timing

@testable import image_data_service

/// A service without its socket that undergoes random events, and the expected state: the bytes that were put, the
/// versions that the origin servers had, and the times of evictions. Every answer of the service is checked against it.
///
/// Steps run one after the other. A step ends when every task has ended or waits for an origin server.
final class ImageModel {
    private let origin = ModelOrigin()
    private let clock = TestClock()

    /// The time of the queue only: no time limit of a load ends.
    private let time = ManualClock()
    private let loader: ImageLoader
    private let fetches: ImageFetches
    private var random: SeededRandom
    private var step = 0

    private static let concurrency = 2

    private static let urls = (0..<5).map { "http://host\($0 % 2).example/\($0)" }

    /// The numbers of images that are put; no origin server has them.
    private static let put = 5_000...5_002

    /// By URL: the image that was put, the step, and the time of the clock.
    private var pins: [String: (number: Int, since: Int, at: Date)] = [:]

    /// By URL: the last step that removed all bytes fetched before it.
    private var evicted: [String: Int] = [:]

    /// By URL: the last step that detached fetches in progress from later ones.
    private var retired: [String: Int] = [:]

    private struct Load {
        let url: String
        let strategy: ImageLoader.Strategy
        let timeToLive: Int
        let begun: Int
        let at: Date

        /// Whether valid bytes were in memory at the start.
        let isHot: Bool
        var isCancelled = false
        let task: Task<Void, Never>
    }

    private typealias Outcome = Result<ImageLoader.Answer?, any Error>
    private var loads: [Int: Load] = [:]
    private var prefetches: [Task<Void, Never>] = []

    /// The number of loads and prefetches so far.
    private var begun = 0
    private let ended = Watched(Endings())

    private struct Endings {
        /// The loads that have ended since the last check.
        var loads: [Int: Outcome] = [:]

        /// The number of loads and prefetches that have ended.
        var count = 0
    }

    /// What shows whether all tasks have ended or wait.
    private struct Look: Equatable {
        let load: ImageFetches.Load
        let requests: Set<Int>
        let ended: Int
    }

    /// The violations that were found.
    private(set) var findings: [String] = []

    /// Runs a model.
    /// - Parameters:
    ///   - cache: an empty cache.
    ///   - store: an empty store.
    /// - Returns: the violations.
    static func run(
        seed: UInt64, steps: Int, cache: SQLiteImageCache, store: SQLiteImageStore
    ) async throws -> [String] {
        let model = ImageModel(seed: seed, cache: cache, store: store)
        let fetches = model.fetches
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fetches.run() }
            for _ in 0..<steps where model.findings.isEmpty { try await model.next() }
            try await model.finish()
            group.cancelAll()
            return model.findings
        }
    }

    private init(seed: UInt64, cache: SQLiteImageCache, store: SQLiteImageStore) {
        random = SeededRandom(seed: seed)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let hotBytes = [0, 3 * pictureSize + 3_000, 1_000_000].randomElement(using: &random) ?? 0
        let caches = ImageCaches(
            hot: HotImages(budget: hotBytes), cold: ColdImages(cache: cache, logger: logger),
            pinned: Bool.random(using: &random) ? store : nil)
        let standing = ManualClock()
        let source = ImageOrigin(
            get: origin.get, mapper: ImageDataMapper(), caches: caches, now: clock.read, clock: standing)
        fetches = ImageFetches(
            queue: FetchQueue(concurrency: Self.concurrency), clock: time, fetch: origin.watching(source.image))
        loader = ImageLoader(
            caches: caches, fetches: fetches, timeToLive: ImageExpiry.defaultTimeToLive, now: clock.read,
            clock: standing)
    }

    // MARK: Steps

    private func next() async throws {
        step += 1
        origin.enter(step: step)
        let url = Self.urls.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: beginLoad(url)
        case 7..<12: answerAny()
        case 12: cancelAny()
        case 13: origin.change(url)
        case 14:
            let seconds = [1, 60, 86_400, 7 * 86_400].randomElement(using: &random) ?? 1
            clock.now += Double(seconds)
        case 15..<17: try await put(Int.random(in: Self.put, using: &random), at: url)
        case 17..<19: try await evict(url)
        default: beginPrefetch()
        }
        try await settle()
    }

    private func finish() async throws {
        step += 1
        origin.enter(step: step)
        while !loads.isEmpty || ended.withLock(\.count) < begun, findings.isEmpty {
            for request in origin.waiting { origin.answer(request, .good) }
            try await settle()
        }
        for load in loads.values { load.task.cancel() }
        for prefetch in prefetches { prefetch.cancel() }
        for load in loads.values { await load.task.value }
        for prefetch in prefetches { await prefetch.value }
        if findings.isEmpty { await fetches.wait { $0 == .none } }
        expect(fetches.load == .none, "something is left: \(fetches.load)")
    }

    private func beginLoad(_ url: String) {
        let policies: [ImageTiers] = [.all, .all, .all, .hot, .cold, []]
        let strategies: [ImageLoader.Strategy] = [.cacheElseLoad, .cacheElseLoad, .reload, .cacheOnly]
        var request = ImageLoader.Request(url: url)
        request.tiers = policies.randomElement(using: &random) ?? .all
        request.strategy = strategies.randomElement(using: &random) ?? .cacheElseLoad
        request.timeToLive = [nil, nil, 3_600, 0].randomElement(using: &random) ?? nil
        request.priority = Bool.random(using: &random) ? .visible : .prefetch
        let timeToLive = request.timeToLive ?? loader.timeToLive
        let kept = loader.caches.hot.peek(url)?.image.record.storedAt
        let isHot = kept.map { !ImageExpiry.isExpired(storedAt: $0, timeToLive: timeToLive, now: clock.now) } ?? false
        let (loader, step) = (loader, step)
        begun += 1
        loads[step] = Load(
            url: url, strategy: request.strategy, timeToLive: timeToLive, begun: step, at: clock.now,
            isHot: isHot && request.tiers.contains(.hot) && request.strategy != .reload,
            task: Task { [ended, request] in
                let outcome: Outcome
                do { outcome = .success(try await loader.load(request)) } catch { outcome = .failure(error) }
                ended.withLock { ended in
                    ended.loads[step] = outcome
                    ended.count += 1
                }
            })
    }

    private func beginPrefetch() {
        let urls = Self.urls.filter { _ in Bool.random(using: &random) }
        begun += 1
        prefetches.append(
            Task { [loader, ended] in
                // The stored bytes show which images were fetched.
                _ = try? await loader.prefetch(urls)
                ended.withLock { $0.count += 1 }
            })
    }

    private func answerAny() {
        guard let request = origin.waiting.randomElement(using: &random) else { return }
        origin.answer(request, .random(using: &random))
    }

    private func cancelAny() {
        guard let number = loads.keys.sorted().randomElement(using: &random) else { return }
        loads[number]?.isCancelled = true
        loads[number]?.task.cancel()
    }

    private func put(_ number: Int, at url: String) async throws {
        guard let store = loader.caches.pinned else { return }
        do {
            try await loader.put(stored(number, at: clock.now.timeIntervalSince(moment(0))), at: url, into: store)
            expect(pins[url].map { $0.number == number } ?? true, "other bytes were put for \(url)")
            if pins[url] == nil { pins[url] = (number, step, clock.now) }
            (retired[url], evicted[url]) = (step, step)
        } catch ImageStoreError.conflict {
            expect(pins[url].map { $0.number != number } ?? false, "bytes were refused for \(url)")
        }
    }

    private func evict(_ url: String) async throws {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
            _ = try await loader.evict(.urls([url]))
            noteEviction(of: [url]) { _ in true }
        case 2:
            let age = [0, 3_600].randomElement(using: &random) ?? 0
            let date = clock.now.addingTimeInterval(-Double(age))
            _ = try await loader.evict(.older(than: age, now: clock.now))
            for url in Self.urls { retired[url] = step }
            noteEviction(of: age == 0 ? Self.urls : []) { $0 <= date }
        default:
            _ = try await loader.evict(.downTo(bytes: 0))
            noteEviction(of: Self.urls) { _ in true }
        }
    }

    private func noteEviction(of urls: [String], _ isOld: (Date) -> Bool) {
        for url in urls { (retired[url], evicted[url]) = (step, step) }
        let all = urls.isEmpty ? Self.urls : urls
        for url in all { if let pin = pins[url], isOld(pin.at) { pins[url] = nil } }
    }

    // MARK: Checks

    /// Waits until every task has ended or waits for an origin server, then checks the results.
    private func settle() async throws {
        await settled()
        for (number, outcome) in takeEnded() {
            guard let load = loads.removeValue(forKey: number) else { continue }
            check(load, outcome)
        }
        for load in loads.values where load.isHot && load.begun == step {
            expect(false, "\(load.url) was not taken from memory")
        }
        let waiting = origin.waiting
        expect(waiting.count <= Self.concurrency, "\(waiting.count) requests at once")
        for url in Self.urls {
            // Callers can join at most one fetch; a cancelled one ends a moment later.
            let start = retired[url] ?? -1
            await origin.wait(forFetchesOf: url, after: start) { $0 <= 1 }
            expect(origin.fetches(of: url, after: start) <= 1, "\(url) is fetched twice at once")
        }
        if let url = Self.urls.randomElement(using: &random) { try await checkKept(url) }
    }

    private func takeEnded() -> [Int: Outcome] {
        ended.withLock { ended in
            defer { ended.loads = [:] }
            return ended.loads
        }
    }

    /// Ends the pauses of hosts for which fetches wait.
    private func settled() async {
        let pause = TimeAmount(HostBackoff.pause)
        while !Task.isCancelled {
            let look = look
            if isSettled(look), look == self.look { return }
            let event = await first(
                of: { [time] in await time.waitForTimers(within: pause) },
                { [fetches] in await fetches.wait { $0 != look.load } },
                { [origin] in await origin.wait(whileWaiting: look.requests) },
                { [ended] in await ended.wait { $0.count != look.ended } })
            if event == 0 { await time.advance(by: pause) }
        }
    }

    private var look: Look {
        Look(load: fetches.load, requests: origin.waitingNumbers, ended: ended.withLock(\.count))
    }

    private func isSettled(_ look: Look) -> Bool {
        let (running, waiting) = (look.load.running, look.load.waiting)
        return running == look.requests.count && (waiting == 0 || running == Self.concurrency || isHeldBack)
            && begun - look.ended == look.load.callers
    }

    /// Whether failing hosts occupy all slots that they may have.
    private var isHeldBack: Bool {
        origin.waiting.count { fetches.isHostInTrouble($0.asked.url) } >= max(1, Self.concurrency / 2)
    }

    /// Checks that an eviction removed the bytes fetched before it, and that no fetched bytes are stored for a URL
    /// whose bytes were put.
    private func checkKept(_ url: String) async throws {
        let hot = loader.caches.hot.peek(url)?.image.record
        let cold = await loader.caches.cold.record(at: url)?.record
        if pins[url] != nil { expect(hot == nil, "fetched bytes of \(url) hide those that were put") }
        for record in [hot, cold].compactMap(\.self) {
            expect(wasServed(record.hash, url, since: evicted[url] ?? -1), "\(url) is kept after it was evicted")
        }
        let pin = try await loader.caches.pinned?.record(at: url)
        expect(pin?.hash == pins[url].map { stored($0.number).record.hash }, "the put bytes of \(url) are wrong")
    }

    private func check(_ load: Load, _ outcome: Outcome) {
        let requests = origin.requests.filter { request in
            request.asked.url == load.url && request.ended.map { $0 >= load.begun } ?? true
        }
        // Bytes that were put before the load began: replacing them requires an eviction.
        let pin = pins[load.url].flatMap { $0.since < load.begun ? $0 : nil }
        switch outcome {
        case .success(let answer?): check(load, answer, pin: pin?.number, requests)
        case .success(nil):
            expect(load.strategy == .cacheOnly && pin == nil, "nothing for \(load.url)")
        case .failure(is CancellationError): expect(load.isCancelled, "\(load.url) ended as cancelled")
        case .failure(let error as ImageOriginError):
            expect(pin == nil, "\(load.url) was put, and failed with \(error)")
            expect(load.strategy != .cacheOnly && requests.contains { !$0.isGood }, "\(load.url) failed with \(error)")
        case .failure(let error): expect(false, "\(load.url) failed with \(error)")
        }
    }

    private func check(
        _ load: Load, _ answer: ImageLoader.Answer, pin: Int?, _ requests: [ModelOrigin.Request]
    ) {
        let (url, hash) = (load.url, answer.image.record.hash)
        expect(ContentHash(of: answer.image.data) == hash, "\(url) has bytes that do not match their hash")
        guard let expiry = answer.expiry else {
            expect(Self.put.contains { stored($0).record.hash == hash }, "\(url) does not expire, but was not put")
            if let pin { expect(stored(pin).record.hash == hash, "\(url) has other bytes than those that were put") }
            return
        }
        expect(pin == nil, "\(url) was put, and fetched bytes were answered")
        let evicted = evicted[url].flatMap { $0 < load.begun ? $0 : nil } ?? -1
        expect(wasServed(hash, url, since: evicted), "\(url) was never so, or was evicted before it was asked for")
        expect(
            expiry == answer.image.record.storedAt.addingTimeInterval(Double(load.timeToLive)),
            "\(url) expires another time")
        expect(load.strategy != .cacheOnly || answer.source != .remote, "\(url) was fetched")
        expect(load.strategy != .reload || answer.source == .remote, "\(url) was not fetched")
        if answer.source == .remote {
            expect(!answer.isStale && requests.contains(where: \.isGood), "\(url) was fetched by nothing")
        } else {
            expect(answer.isStale ? expiry <= clock.now : expiry > load.at, "\(url) is too old, or called so")
            expect(!answer.isStale || requests.contains { !$0.isGood }, "\(url) is stale, and nothing has failed")
        }
    }

    /// Whether an origin server has sent these bytes for a fetch that began after a step.
    private func wasServed(_ hash: ContentHash, _ url: String, since step: Int) -> Bool {
        origin.requests.contains { request in
            request.asked.url == url && request.fetchBegun > step && stored(request.version).record.hash == hash
        }
    }

    private func expect(_ isSo: Bool, _ finding: @autoclosure () -> String) {
        if !isSo { findings.append("step \(step): \(finding())") }
    }
}
