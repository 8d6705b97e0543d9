import Foundation
import ImageData
import NIOCore
import RPC
import Upstream

/// Where bytes come from: memory, disk, their origin. Keeps nothing for its callers; who waits holds the task.
struct ImageLoader: Sendable {
    let caches: ImageCaches
    let fetches: ImageFetches
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

        /// They are older than the caller wanted, and their origin was not reached.
        var isStale = false
    }

    enum Source: Sendable { case hot, cold, remote }

    /// - Throws: `ImageOriginError`, `ImageFetches.TooManyWaiting`, `CancellationError`.
    /// - Returns: nil when only caches were to be asked, and have nothing that is good.
    func load(_ request: Request) async throws -> Answer? {
        let kept = request.strategy == .reload ? nil : try await kept(request)
        if let kept, !isExpired(kept, request) { return kept }
        if request.strategy != .reload { onMiss(request.url) }
        if request.strategy == .cacheOnly { return nil }
        guard var stale = kept else { return try await fetch(request) }
        do {
            let left = Duration.nanoseconds((request.deadline - NIODeadline.now()).nanoseconds)
            return try await FetchBudget.run(within: FetchBudget.time(of: left)) { try await fetch(request) }
        } catch let error where error.leavesStaleBytes {
            try Task.checkCancellation()
            stale.isStale = true
            return stale
        }
    }

    /// What is kept, however old.
    func kept(_ request: Request) async throws -> Answer? {
        if let image = caches.imageInMemory(at: request.url, in: request.tiers) {
            let answer = Answer(image: image.image, source: .hot)
            guard image.image.data.count >= LargeReads.threshold else { return answer }
            // It takes no more memory here, but in what leaves.
            return try await reads.run(request.room) { answer }
        }
        let image = try await reads.run(request.room) { await caches.imageOnDisk(at: request.url, in: request.tiers) }
        return image.map { Answer(image: $0.image, source: .cold) }
    }

    func isExpired(_ answer: Answer, _ request: Request) -> Bool {
        ImageExpiry.isExpired(
            storedAt: answer.image.record.storedAt, timeToLive: request.timeToLive ?? timeToLive, now: now())
    }

    private func fetch(_ request: Request) async throws -> Answer {
        while true {
            let fetched = try await fetches.image(
                at: request.url, request.priority, keepingIn: request.tiers,
                unless: { request.strategy != .reload && request.tiers.contains(.hot) && isInMemory(request) })
            if let fetched { return Answer(image: fetched.image, source: .remote) }
            // Somebody else's fetch has ended since the caches were looked through.
            if let kept = try await kept(request), !isExpired(kept, request) { return kept }
        }
    }

    private func isInMemory(_ request: Request) -> Bool {
        guard let image = caches.hot.peek(request.url) else { return false }
        return !isExpired(Answer(image: image.image, source: .hot), request)
    }

    /// Fetches what is not kept, for somebody who may look at it soon.
    /// - Returns: how many pictures were taken on.
    func prefetch(_ urls: [String]) async throws -> Int {
        var missing: [String] = []
        for url in urls {
            let known = await caches.record(at: url, in: .all)?.record.record
            let isGood = known.map {
                !ImageExpiry.isExpired(storedAt: $0.storedAt, timeToLive: timeToLive, now: now())
            }
            if isGood != true { missing.append(url) }
        }
        return try await fetches.prefetch(missing, unless: { isInMemory(Request(url: $0)) })
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
