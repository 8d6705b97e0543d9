import Foundation
import Timing

/// A short-lived cache of comment lists.
typealias RecentComments = RecentDocuments<UUID, CommentsDocument>

extension RecentComments {
    init(_ limits: HTTPLimits, _ clock: any MonotonicClock) {
        self.init(
            time: HTTPLimits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: HTTPLimits.requestTime,
            clock: clock)
    }
}
