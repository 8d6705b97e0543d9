import Foundation
import NIOCore

/// A short-lived cache of images, keyed by item.
typealias RecentImages = RecentAnswers<UUID, HeldImage>

extension RecentImages {
    convenience init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.init(
            time: limits.recentImageTime, bytes: limits.recentImageBytes, joinTime: limits.recentImageTime, now: now)
    }
}
