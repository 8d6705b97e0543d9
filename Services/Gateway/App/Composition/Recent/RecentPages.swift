import FeedContract
import Timing

/// A short-lived cache of the feed's pages.
typealias RecentPages = RecentDocuments<LoadFeed, FeedDocument>

extension RecentPages {
    init(_ limits: HTTPLimits, _ clock: any MonotonicClock) {
        self.init(
            time: HTTPLimits.recentPagesTime, bytes: limits.recentPagesBytes, joinTime: HTTPLimits.recentPagesTime,
            clock: clock
        )
    }
}
