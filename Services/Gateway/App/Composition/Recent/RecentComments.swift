import Foundation
import Timing

/// A short-lived cache of comment lists.
typealias RecentComments = RecentDocuments<UUID, CommentsDocument>

extension RecentComments {
    init(_ limits: HTTPLimits, _ clock: any MonotonicClock) {
        self.init(
            time: limits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: limits.requestTime,
            clock: clock)
    }
}
