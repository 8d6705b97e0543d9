import EdgeKit
import Foundation
import ImageData
import NIOCore
import RPC
import ServiceKit
import Timing

/// Loads bytes from memory, disk or their origin server. It holds no state per caller.
struct ImageLoader: Sendable {
    let caches: ImageCaches

    /// Nil for a service with `--no-fetch`.
    let fetches: ImageFetches?

    /// The images that are read into memory at a time: one is read while another is sent. In base64 an image has up to
    /// 8 MB, and a caller may request thousands.
    private let reads = TaskSemaphore(permits: 2)

    /// Nil for a service without variants.
    var variants: VariantMaker?

    /// The longest time that a `put` waits for the placeholder.
    static let placeholderTime = Duration.seconds(2)

    /// The default time to live in seconds.
    let timeToLive: Int
    let now: @Sendable () -> Date
    var clock: any MonotonicClock = .system

    /// Called for each URL that is not cached, or expired.
    var onMiss: @Sendable (_ url: String) -> Void = { _ in }

    let counts = LoadCounts()

    /// The parameters of a load.
    struct Request: Sendable {
        var url: String
        var tiers = ImageTiers.all
        var strategy = Strategy.cacheElseLoad
        var timeToLive: Int?
        var priority = FetchQueue.Priority.visible

        /// The deadline of the call.
        var deadline = NIODeadline.distantFuture

        /// The free space for the answer in the caller's connection; nil when it is unlimited.
        var room: AnswerRoom?

        /// Nil for the original.
        var variant: WantedVariant?
    }

    struct WantedVariant: Sendable {
        let width: Int
        let acceptsWebP: Bool
    }

    enum Strategy: Sendable { case cacheElseLoad, reload, cacheOnly }

    /// The result of a load.
    struct Answer: Sendable {
        var image: StoredImage
        var source: Source

        /// When the bytes expire; nil for bytes that were put.
        var expiry: Date?

        /// The bytes have expired, and their origin server could not be reached.
        var isStale = false
    }

    enum Source: Sendable { case hot, cold, remote }

    // MARK: Loading

    /// Loads the bytes of an image, or of its variant.
    /// - Throws: `ImageOriginError`, `ImageFetches.TooManyWaiting`, `CancellationError`; `ImageStoreError` when bytes
    ///   that were put cannot be read.
    /// - Returns: nil when there are no valid bytes, and fetching is not allowed.
    func load(_ request: Request) async throws -> Answer? {
        let answer = try await found(request)
        counts.note(answer?.source)
        return answer
    }

    private func found(_ request: Request) async throws -> Answer? {
        if let answer = try await storedVariant(request) { return answer }
        guard request.variant != nil, variants != nil else { return try await loadOriginal(request) }
        switch try await loaded(request) {
        case nil: return nil
        case .answer(let answer)?: return answer
        case .making(let making)?:
            if let answer = try await made(making, request) { return answer }
            return try await loadOriginal(request)
        }
    }

    func loadOriginal(_ request: Request) async throws -> Answer? {
        let kept = try await kept(request)
        if let kept, !isExpired(kept) { return kept }
        if request.strategy != .reload { onMiss(request.url) }
        // On an authority a URN names bytes that were put; it cannot be fetched.
        let isPut = caches.pinned != nil && request.url.hasPrefix("urn:")
        guard request.strategy != .cacheOnly, !isPut, let fetches else { return nil }
        guard var stale = kept else { return try await fetch(request, fetches) }
        do {
            let time = FetchBudget.time(
                of: clock.timeLeft(until: request.deadline), isAbsent: fetches.isHostInTrouble(request.url))
            return try await FetchBudget.run(within: time, on: clock) { try await fetch(request, fetches) }
        } catch let error where error.leavesStaleBytes {
            try Task.checkCancellation()
            stale.isStale = true
            return stale
        }
    }

    /// Returns stored bytes of any age. A reload looks only for bytes that were put.
    func kept(_ request: Request) async throws -> Answer? {
        let tiers = request.strategy == .reload ? [] : request.tiers
        if let image = caches.imageInMemory(at: request.url, in: tiers) {
            return answer(image.image, .hot, request)
        }
        guard tiers.contains(.cold) || caches.pinned != nil else { return nil }
        let found = try await read(for: request.room) { try await caches.imageOnDisk(at: request.url, in: tiers) }
        guard let (image, place) = found else { return nil }
        return place == .pinned ? Answer(image: image, source: .cold) : answer(image, .cold, request)
    }

    /// Reads an image when the caller's connection has space for the answer.
    func read<Image>(
        for room: AnswerRoom?, _ body: () async throws -> Image
    ) async throws -> Image {
        while true {
            // A caller whose connection is full waits here without a permit.
            try await room?.wait()
            let image = try await reads.withPermit { await room?.isThere ?? true ? try await body() : nil }
            if let image { return image }
        }
    }

    private func answer(_ image: StoredImage, _ source: Source, _ request: Request) -> Answer {
        let expiry = ImageExpiry.date(
            storedAt: image.record.storedAt, timeToLive: request.timeToLive ?? timeToLive, now: now())
        return Answer(image: image, source: source, expiry: expiry)
    }

    func isExpired(_ answer: Answer) -> Bool { answer.expiry.map { now() >= $0 } ?? false }

    private func fetch(_ request: Request, _ fetches: ImageFetches) async throws -> Answer {
        while true {
            let fetched = try await fetches.image(
                at: request.url, request.priority, keepingIn: request.tiers,
                unless: { request.strategy != .reload && request.tiers.contains(.hot) && isInMemory(request) })
            if let fetched { return answer(fetched.image, .remote, request) }
            // Another fetch has ended, or bytes were put, since the caches were searched.
            if let kept = try await kept(request), !isExpired(kept) { return kept }
        }
    }

    private func isInMemory(_ request: Request) -> Bool {
        guard let image = caches.hot.peek(request.url) else { return false }
        return !isExpired(answer(image.image, .hot, request))
    }

    /// Queues fetches of images that are not stored, before a caller loads them.
    /// - Returns: how many fetches were queued.
    func prefetch(_ urls: [String]) async throws -> Int {
        guard let fetches else { return 0 }
        let cached = try await cached(among: urls)
        return try await fetches.prefetch(
            urls.filter { !cached.contains($0) }, unless: { isInMemory(Request(url: $0)) })
    }

    /// The URLs of which valid bytes are stored, so that no fetch is needed.
    func cached(among urls: [String]) async throws -> Set<String> {
        let now = now()
        return Set(
            try await caches.records(at: urls).filter { _, found in
                found.place == .pinned
                    || !ImageExpiry.isExpired(storedAt: found.record.storedAt, timeToLive: timeToLive, now: now)
            }.keys)
    }

    // MARK: Changing

    /// Stores bytes that were put, and evicts fetched bytes of the URL.
    /// - Throws: `ImageStoreError.conflict` when other bytes were put.
    func put(_ image: StoredImage, at url: String, into pinned: any ImageStore) async throws {
        try await pinned.put(image, at: url)
        fetches?.retire([url])
        await caches.dropFetched(at: url)
    }

    /// Evicts bytes. Results of fetches that began earlier are not stored.
    func evict(_ eviction: Eviction) async throws -> Evicted {
        if case .urls(let urls) = eviction { fetches?.retire(Set(urls)) } else { fetches?.retire(nil) }
        return try await caches.evict(eviction)
    }
}

extension Error {
    /// Whether expired bytes may be served in place of this error.
    fileprivate var leavesStaleBytes: Bool {
        switch self {
        case let error as ImageOriginError: error.leavesExpiredBytes
        case is FetchBudget.Spent, is ImageFetches.TooManyWaiting: true
        default: false
        }
    }
}
