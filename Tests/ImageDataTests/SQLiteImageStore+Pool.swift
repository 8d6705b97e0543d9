import GRDB
import Logging
import SQLiteKit

@testable import image_data_service

extension SQLiteImageStore {
    /// The store in a file that was opened.
    init(_ pool: DatabasePool) {
        let slot = StoreSlot(Self.opening, at: pool.path, .success(pool))
        self.init(AuthorityStore(slot, StoreMonitor(path: pool.path, logger: Logger(label: "store"))))
    }
}

extension SQLiteImageCache {
    /// The cache in a file that was opened.
    convenience init(_ pool: DatabasePool, budget: Int) {
        let slot = StoreSlot(Self.opening, at: pool.path, .success(pool))
        let monitor = StoreMonitor(path: pool.path, logger: Logger(label: "cache"))
        self.init(CacheStore(slot, monitor), budget: budget)
    }
}
