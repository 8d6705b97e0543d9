import Foundation
import NIOCore

/// A short-lived cache of comment lists.
typealias RecentComments = RecentDocuments<UUID, CommentsDocument>

extension RecentComments {
    init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.init(
            time: limits.recentCommentsTime, bytes: limits.recentCommentsBytes, joinTime: limits.requestTime, now: now)
    }
}
