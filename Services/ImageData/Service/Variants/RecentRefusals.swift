import ImageData
import NIOCore

/// What has failed a short time ago and is not tried again until then.
struct RecentRefusals<Key: Hashable & Sendable>: Sendable {
    /// How long a failure is remembered.
    static var retryTime: TimeAmount { .seconds(600) }

    /// The maximum number of remembered failures; the least recently used are forgotten.
    static var limit: Int { 4_096 }

    private var times = LeastRecentlyUsed<Key, NIODeadline>(budget: limit)

    mutating func insert(_ key: Key, at now: NIODeadline) { times.set(now, for: key, cost: 1) }

    mutating func contains(_ key: Key, at now: NIODeadline) -> Bool {
        guard let time = times.use(key) else { return false }
        if now - time < Self.retryTime { return true }
        times.remove(key)
        return false
    }
}
