import Foundation
import GRDB

/// A row of the cache: an item, or a cursor without an item, and its successor.
struct CacheNode {
    /// The number of the node that precedes the first item of the feed.
    static let beginning: Int64 = 0

    enum State: Int {
        /// Known only as a cursor. The upstream has not shown its content.
        case unseen = 0
        case item = 1
        /// The upstream no longer has it. It remains a cursor. Only removed items lead to it.
        case removed = 2
    }

    let number: Int64

    /// Nil for the beginning.
    let id: UUID?
    let state: State

    /// When the upstream last showed it.
    let savedAt: Date

    /// The node that follows; nil when that is not known, or nothing follows.
    let next: Int64?

    /// When the upstream said that nothing follows; nil when it did not say so.
    let endedAt: Date?

    static let columns = "number, id, state, saved_at, next, ended_at"

    /// - Parameter row: has `columns`.
    init(row: Row) throws {
        number = row[0]
        id = row[1]
        guard let state = State(rawValue: row[2]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "node \(number) has no state")
        }
        self.state = state
        savedAt = Date(timeIntervalSince1970: row[3])
        next = row[4]
        endedAt = (row[5] as Double?).map(Date.init(timeIntervalSince1970:))
    }

    var isBeginning: Bool { number == Self.beginning }
}
