import FeedContract
import Timing

/// A short-lived cache of the feed's pages.
typealias RecentPages = RecentDocuments<FeedDocument.ID, FeedDocument>

extension FeedDocument {
    /// What a document depends on: its links name the host that a client has asked.
    struct ID: Hashable, Sendable {
        let load: LoadFeed
        let publicURL: PublicURL
    }
}

extension RecentPages {
    init(_ limits: HTTPLimits, _ clock: any MonotonicClock) {
        self.init(
            time: HTTPLimits.recentPagesTime, bytes: limits.recentPagesBytes, joinTime: HTTPLimits.recentPagesTime,
            clock: clock
        )
    }
}
