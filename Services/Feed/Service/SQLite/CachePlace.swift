import Foundation
import GRDB

/// Where an id stands, or stood, on the axis.
struct CachePlace {
    let position: Int64
    let isItem: Bool

    /// Whether it was never seen, only used as a cursor.
    let isEdge: Bool

    /// Nil for an id that the cache does not know.
    static func of(_ id: UUID, _ db: Database) throws -> CachePlace? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT position, 1, 0 FROM item WHERE id = ?1 UNION ALL SELECT position, 0, edge FROM place WHERE id = ?1
                """)
        return try Row.fetchOne(statement, arguments: [id]).map {
            CachePlace(position: $0[0], isItem: $0[1], isEdge: $0[2])
        }
    }
}
