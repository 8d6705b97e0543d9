import Foundation
import NIOCore

/// A short-lived cache of images and variants.
typealias RecentImages = RecentAnswers<WantedPicture, HeldImage>

extension RecentImages {
    convenience init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.init(
            time: limits.recentImageTime, bytes: limits.recentImageBytes, joinTime: limits.recentImageTime, now: now)
    }
}
