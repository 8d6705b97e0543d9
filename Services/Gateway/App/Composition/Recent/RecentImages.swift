import Foundation
import Timing

/// A short-lived cache of images and variants.
typealias RecentImages = RecentAnswers<WantedPicture, HeldImage>

extension RecentImages {
    convenience init(_ limits: HTTPLimits, _ clock: any MonotonicClock) {
        self.init(
            time: HTTPLimits.recentImageTime, bytes: limits.recentImageBytes, joinTime: HTTPLimits.recentImageTime,
            clock: clock
        )
    }
}
