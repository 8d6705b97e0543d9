import Feed
import Foundation
import GRDB

/// A node of the cache's list: an item, or a cursor without an item.
struct CacheNode {
    /// The number of the node that precedes the first item of the feed.
    static let beginning: Int64 = 0

    enum State: Int {
        /// Known only as a cursor. The upstream has not shown its content.
        case unseen = 0
        case item = 1
        /// The upstream no longer has it. It still marks its place.
        case removed = 2
    }

    let number: Int64

    /// Nil for the beginning.
    let id: UUID?
    let state: State

    /// When the upstream last showed it.
    let savedAt: Date
    let next: Int64?
    let prev: Int64?

    /// When the upstream said that nothing follows; nil when it did not say so.
    let endedAt: Date?

    static let columns = "number, id, state, saved_at, next, prev, ended_at"

    /// - Parameter row: has `columns`.
    init(row: Row) throws {
        number = row[0]
        id = row[1]
        guard let state = State(rawValue: row[2]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "node \(number) has no state")
        }
        self.state = state
        savedAt = Date(timeIntervalSince1970: row[3])
        (next, prev) = (row[4], row[5])
        endedAt = (row[6] as Double?).map(Date.init(timeIntervalSince1970:))
    }

    var isBeginning: Bool { number == Self.beginning }
}
