import GRDB
import SQLiteKit
import ServiceKit

extension SQLiteFeedStore {
    /// Reports the images of all items.
    static func verify(_ store: VerifiedStore.Access, report: (StoreFinding) throws -> Void) throws {
        var last = Int64.min
        while true {
            let rows = try store.reader.read { db in
                try Row.fetchAll(
                    db, sql: "SELECT position, image FROM item WHERE position > ? ORDER BY position LIMIT 1000",
                    arguments: [last])
            }
            guard let end = rows.last else { return }
            try report(.named(rows.map { $0[1] }))
            last = end[0]
        }
    }
}
