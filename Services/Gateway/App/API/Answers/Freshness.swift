import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import HTTPTypes

/// The age of an answer, and the cache that it comes from.
struct Freshness: Equatable {
    /// In whole seconds; nil when the answer comes from no cache.
    let age: Int?

    /// The parameters of this deployment's member of `Cache-Status` (RFC 9211); nil when no cache was consulted.
    let cacheStatus: String?

    /// The name of this deployment's caches.
    static let cacheName = "image-feed"

    /// The age of bytes fetched at `date`, in seconds. A date in the future, due to different clocks, counts as now.
    static func age(of date: Date, now: Date) -> Int { max(0, Int(now.timeIntervalSince(date))) }

    func apply(to fields: inout HTTPFields) {
        if let age { fields[.age] = "\(age)" }
        if let cacheStatus { fields["Cache-Status"] = "\(Self.cacheName); \(cacheStatus)" }
    }
}

extension HTTPRequest {
    /// Whether the client wants no answer from a cache (RFC 9111 §5.2.1.4).
    var asksForFreshAnswer: Bool {
        headerFields[.cacheControl].map { WeightedList($0)["no-cache"] != nil } ?? false
    }
}

extension Freshness {
    init(_ origin: AnswerOrigin, savedAt: Date?, now: Date) {
        age = savedAt.map { Self.age(of: $0, now: now) }
        switch origin {
        case .store: cacheStatus = nil
        case .remote: cacheStatus = "fwd=miss"
        case .cache: cacheStatus = "hit"
        }
    }

    /// The age of an image is that of its upstream's answer and the time since then. Bytes that were put come from no cache.
    init(_ image: HeldImage, now: Date) {
        guard image.expiresAt != nil else {
            (age, cacheStatus) = (nil, nil)
            return
        }
        let age = Self.age(of: image.storedAt, now: now) + image.age
        switch image.source {
        case .hot, .cold: (self.age, cacheStatus) = (age, image.isStale ? "hit; detail=stale" : "hit")
        // A fetched image has an age when its upstream answered from a cache.
        case .remote: (self.age, cacheStatus) = (age > 0 ? age : nil, "fwd=miss")
        }
    }
}
