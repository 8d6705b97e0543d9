import Comments
import GRDB
import Logging
import SQLiteKit

@testable import comments_service

extension SQLiteCommentsStore {
    /// The store in a file that was opened.
    init(_ pool: DatabasePool) {
        self.init(Store(Self.opening, at: pool.path, .success(pool), logger: Logger(label: "store")))
    }
}

extension SQLiteCommentsCache {
    /// The cache in a file that was opened.
    init(_ pool: DatabasePool, limits: CommentsCacheLimits = CommentsCacheLimits()) {
        self.init(Store(Self.opening, at: pool.path, .success(pool), logger: Logger(label: "cache")), limits: limits)
    }
}
