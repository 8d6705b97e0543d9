import FeedContract
import NIOCore

/// A short-lived cache of the feed's pages.
typealias RecentPages = RecentDocuments<LoadFeed, FeedDocument>

extension RecentPages {
    init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.init(
            time: limits.recentPagesTime, bytes: limits.recentPagesBytes, joinTime: limits.recentPagesTime, now: now)
    }
}
