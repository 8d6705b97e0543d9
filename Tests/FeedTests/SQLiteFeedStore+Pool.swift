import Feed
import GRDB
import Logging
import SQLiteKit

@testable import feed_service

extension SQLiteFeedStore {
    /// The store in a file that was opened.
    init(_ pool: DatabasePool) {
        self.init(Store(Self.opening, at: pool.path, .success(pool), logger: Logger(label: "store")))
    }
}

extension SQLiteFeedCache {
    /// The cache in a file that was opened.
    init(_ pool: DatabasePool, budget: Int = FeedCachePolicy.budget) {
        self.init(Store(Self.opening, at: pool.path, .success(pool), logger: Logger(label: "cache")), budget: budget)
    }
}
