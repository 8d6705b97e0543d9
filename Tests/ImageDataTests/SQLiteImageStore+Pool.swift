import GRDB
import Logging
import SQLiteKit

@testable import image_data_service

extension SQLiteImageStore {
    /// The store in a file that was opened.
    init(_ pool: DatabasePool) {
        self.init(Store(Self.opening, at: pool.path, .success(pool), logger: Logger(label: "store")))
    }
}

extension SQLiteImageCache {
    /// The cache in a file that was opened.
    convenience init(_ pool: DatabasePool, budget: Int) {
        self.init(Store(Self.opening, at: pool.path, .success(pool), logger: Logger(label: "cache")), budget: budget)
    }
}
