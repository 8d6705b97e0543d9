import Comments
import GRDB
import Logging
import SQLiteKit

@testable import comments_service

extension SQLiteCommentsStore {
    /// The store in a file that was opened.
    init(_ pool: DatabasePool) {
        let slot = StoreSlot(Self.opening, at: pool.path, .success(pool))
        self.init(AuthorityStore(slot, StoreMonitor(path: pool.path, logger: Logger(label: "store"))))
    }
}

extension SQLiteCommentsCache {
    /// The cache in a file that was opened.
    init(_ pool: DatabasePool, limits: CommentsCacheLimits = CommentsCacheLimits()) {
        let slot = StoreSlot(Self.opening, at: pool.path, .success(pool))
        let monitor = StoreMonitor(path: pool.path, logger: Logger(label: "cache"))
        self.init(CacheStore(slot, monitor), limits: limits)
    }
}
