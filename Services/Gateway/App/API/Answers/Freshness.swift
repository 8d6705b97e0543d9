import CommentsContract
import FeedContract
import Foundation
import HTTPTypes

/// How old an answer is, and which cache it has come from.
struct Freshness: Equatable {
    /// In whole seconds; nil when nobody kept it.
    let age: Int?

    /// The parameters of our member of `Cache-Status` (RFC 9211); nil when there was no cache to ask.
    let cacheStatus: String?

    /// The name of our caches.
    static let cacheName = "image-feed"

    /// The age of what was fetched then. Clocks differ, so the future is now.
    static func age(of date: Date, now: Date) -> Int { max(0, Int(now.timeIntervalSince(date))) }

    func apply(to fields: inout HTTPFields) {
        if let age { fields[.age] = "\(age)" }
        if let cacheStatus { fields["Cache-Status"] = "\(Self.cacheName); \(cacheStatus)" }
    }
}

extension Freshness {
    init(_ feed: LoadedFeed, now: Date) {
        age = feed.savedAt.map { Self.age(of: $0, now: now) }
        switch feed.origin {
        case .store: cacheStatus = nil
        case .remote: cacheStatus = "fwd=miss"
        case .cache: cacheStatus = "hit"
        }
    }

    init(_ origin: ListedComments.Origin, savedAt: Date?, now: Date) {
        age = savedAt.map { Self.age(of: $0, now: now) }
        switch origin {
        case .store: cacheStatus = nil
        case .remote: cacheStatus = "fwd=miss"
        case .cache: cacheStatus = "hit"
        }
    }

    /// Bytes that were put were never fetched: no cache has them.
    init(_ image: HeldImage, now: Date) {
        guard image.expiresAt != nil else {
            (age, cacheStatus) = (nil, nil)
            return
        }
        let age = Self.age(of: image.storedAt, now: now)
        switch image.source {
        case .hot, .cold: (self.age, cacheStatus) = (age, image.isStale ? "hit; detail=stale" : "hit")
        // Fetched now, but perhaps from who has kept it for a while: tiers never make anything younger.
        case .remote: (self.age, cacheStatus) = (age > 0 ? age : nil, "fwd=miss")
        }
    }
}
