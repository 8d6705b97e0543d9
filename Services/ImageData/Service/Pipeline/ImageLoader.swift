import Foundation
import ImageData
import NIOCore
import RPC
import Upstream

/// Where bytes come from: memory, disk, their origin. Keeps nothing for its callers; who waits holds the task.
struct ImageLoader: Sendable {
    let caches: ImageCaches

    /// Nil for a service that fetches nothing.
    let fetches: ImageFetches?
    let reads = LargeReads()

    /// In seconds, for callers who do not say.
    let timeToLive: Int
    let now: @Sendable () -> Date

    /// Told of what is not kept, or not any more.
    var onMiss: @Sendable (_ url: String) -> Void = { _ in }

    /// What a caller wants.
    struct Request: Sendable {
        var url: String
        var tiers = ImageTiers.all
        var strategy = Strategy.cacheElseLoad
        var timeToLive: Int?
        var priority = FetchQueue.Priority.visible

        /// When the caller stops waiting.
        var deadline = NIODeadline.distantFuture

        /// What the caller can take; nil for anything.
        var room: AnswerRoom?
    }

    enum Strategy: Sendable { case cacheElseLoad, reload, cacheOnly }

    /// Bytes for a caller.
    struct Answer: Sendable {
        var image: StoredImage
        var source: Source

        /// When they expire; nil for bytes that were put.
        var expiry: Date?

        /// They have expired, and their origin was not reached.
        var isStale = false
    }

    enum Source: Sendable { case hot, cold, remote }

    // MARK: Loading

    /// - Throws: `ImageOriginError`, `ImageFetches.TooManyWaiting`, `CancellationError`; `ImageStoreError` for bytes that were
    ///   put and cannot be read.
    /// - Returns: nil when there are no good bytes, and none may be fetched.
    func load(_ request: Request) async throws -> Answer? {
        let kept = try await kept(request)
        if let kept, !isExpired(kept) { return kept }
        if request.strategy != .reload { onMiss(request.url) }
        // An authority's URN names bytes that were put, and no place to fetch them from.
        let isPut = caches.pinned != nil && request.url.hasPrefix("urn:")
        guard request.strategy != .cacheOnly, !isPut, let fetches else { return nil }
        guard var stale = kept else { return try await fetch(request, fetches) }
        do {
            let left = Duration.nanoseconds((request.deadline - NIODeadline.now()).nanoseconds)
            let time = FetchBudget.time(of: left, isAbsent: fetches.isHostInTrouble(request.url))
            return try await FetchBudget.run(within: time) { try await fetch(request, fetches) }
        } catch let error where error.leavesStaleBytes {
            try Task.checkCancellation()
            stale.isStale = true
            return stale
        }
    }

    /// What is kept, however old. A reload looks only for bytes that were put.
    func kept(_ request: Request) async throws -> Answer? {
        let tiers = request.strategy == .reload ? [] : request.tiers
        if let image = caches.imageInMemory(at: request.url, in: tiers) {
            return answer(image.image, .hot, request)
        }
        guard tiers.contains(.cold) || caches.pinned != nil else { return nil }
        let found = try await reads.run(request.room) { try await caches.imageOnDisk(at: request.url, in: tiers) }
        guard let (image, place) = found else { return nil }
        return place == .pinned ? Answer(image: image, source: .cold) : answer(image, .cold, request)
    }

    private func answer(_ image: StoredImage, _ source: Source, _ request: Request) -> Answer {
        let expiry = ImageExpiry.date(
            storedAt: image.record.storedAt, timeToLive: request.timeToLive ?? timeToLive)
        return Answer(image: image, source: source, expiry: expiry)
    }

    func isExpired(_ answer: Answer) -> Bool { answer.expiry.map { now() >= $0 } ?? false }

    private func fetch(_ request: Request, _ fetches: ImageFetches) async throws -> Answer {
        while true {
            let fetched = try await fetches.image(
                at: request.url, request.priority, keepingIn: request.tiers,
                unless: { request.strategy != .reload && request.tiers.contains(.hot) && isInMemory(request) })
            if let fetched { return answer(fetched.image, .remote, request) }
            // Another fetch has ended, or bytes were put, since the caches were looked through.
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
        var missing: [String] = []
        for url in urls where try await !isKept(url) { missing.append(url) }
        return try await fetches.prefetch(missing, unless: { isInMemory(Request(url: $0)) })
    }

    /// Whether the bytes need not be fetched.
    func isKept(_ url: String) async throws -> Bool {
        guard let (record, place) = try await caches.record(at: url) else { return false }
        return place == .pinned
            || !ImageExpiry.isExpired(storedAt: record.storedAt, timeToLive: timeToLive, now: now())
    }

    // MARK: Changing

    /// Puts bytes in the place of fetched ones.
    /// - Throws: `ImageStoreError.conflict` when others were put.
    func put(_ image: StoredImage, at url: String, into pinned: any ImageStore) async throws {
        try await pinned.put(image, at: url)
        fetches?.retire([url])
        await caches.dropFetched(at: url)
    }

    /// Evicts bytes. It wins over fetches that began before it: what they bring is not stored.
    func evict(_ eviction: Eviction) async throws -> Evicted {
        if case .urls(let urls) = eviction { fetches?.retire(Set(urls)) } else { fetches?.retire(nil) }
        return try await caches.evict(eviction)
    }
}

extension Error {
    /// Whether bytes that are too old are better than this.
    fileprivate var leavesStaleBytes: Bool {
        switch self {
        case let error as ImageOriginError: error.isConnectivity
        case is FetchBudget.Spent, is ImageFetches.TooManyWaiting: true
        default: false
        }
    }
}
