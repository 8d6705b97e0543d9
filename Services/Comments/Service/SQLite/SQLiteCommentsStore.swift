import Comments
import CommentsContract
import Foundation
import GRDB
import JSON
import SQLiteKit
import ServiceKit

/// The comments and their changes in one SQLite file. Reads take microseconds and run on the caller's thread; writes wait for the disk on
/// another thread.
struct SQLiteCommentsStore: CommentsStore {
    private let store: Store

    init(_ store: Store) { self.store = store }

    static let opening = StoreOpening(applicationID: "IFco", migrator: CommentsSchema.migrator)

    // MARK: Reading

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CommentsSlice {
        try await store.read { db in
            try Self.slice(
                limit, of: imageID, after: id.map { try Self.place(of: $0, in: imageID, db) } ?? .beforeAll, db)
        }
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages {
        try await store.read { db in
            try FirstPages(of: imageIDs) { try Self.slice(limit, of: $0, after: .beforeAll, db) }
        }
    }

    private static func slice(
        _ limit: Int, of imageID: UUID, after place: Place, _ db: Database
    ) throws -> CommentsSlice {
        let rows = try comments(db, sliceQuery, [imageID, place.time, place.position, limit + 1])
        return CommentsSlice(items: Array(rows.prefix(limit)), hasMore: rows.count > limit)
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await store.read { db in
            let marks = Array(repeating: "?", count: imageIDs.count).joined(separator: ", ")
            let statement = try db.cachedStatement(
                sql: "SELECT image_id, comments FROM total WHERE image_id IN (\(marks))")
            let rows = try Row.fetchCursor(statement, arguments: StatementArguments(imageIDs))
            var counts: [UUID: Int] = [:]
            while let row = try rows.next() { counts[try row.decode(atIndex: 0)] = try row.decode(atIndex: 1) }
            return counts
        }
    }

    private static func comments(
        _ db: Database, _ query: String, _ arguments: StatementArguments
    ) throws -> [ImageComment] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: query), arguments: arguments)
        return try Array(rows.map(ImageComment.init(row:)))
    }

    private static func comment(_ id: UUID, _ db: Database) throws -> ImageComment? {
        try comments(db, "\(selection) WHERE id = ?", [id]).first
    }

    private static let selection = "SELECT id, image_id, message, created_at, username, position FROM comment"

    /// Reads the rest of a second, then the later seconds: each is a range of an index. With `(created_at, position) >
    /// (?, ?)` SQLite would read the whole second for every page.
    static let sliceQuery = """
        \(selection) WHERE image_id = ?1 AND created_at = ?2 AND position > ?3
        UNION ALL \(selection) WHERE image_id = ?1 AND created_at > ?2
        ORDER BY created_at, position LIMIT ?4
        """

    /// A position in the list: comments are sorted by time, those of the same second by position.
    private struct Place {
        let time: Int64
        let position: Int64

        static let beforeAll = Place(time: .min, position: 0)
    }

    /// The place of an image's comment, or its last place if it was removed.
    private static func place(of id: UUID, in imageID: UUID, _ db: Database) throws -> Place {
        let statement = try db.cachedStatement(
            sql: """
                SELECT created_at, position FROM comment WHERE id = ?1 AND image_id = ?2
                UNION ALL SELECT created_at, position FROM tombstone WHERE id = ?1 AND image_id = ?2
                """)
        guard let row = try Row.fetchOne(statement, arguments: [id, imageID]) else {
            throw CommentsStoreError.unknownCursor(id)
        }
        return Place(time: try row.decode(atIndex: 0), position: try row.decode(atIndex: 1))
    }

    // MARK: Writing

    func post(_ draft: CommentDraft, now: Date) async throws -> PostedComment {
        try await store.write { db in
            if let present = try Self.comment(draft.id, db) {
                guard draft.isRepeat(of: present) else { throw CommentsStoreError.conflict(draft.id) }
                return PostedComment(present, isNew: false)
            }
            let comment = draft.comment(now: draft.createdAt == nil ? try Self.timeOfPost(now, db) : now)
            try Self.insert(comment, db)
            try ChangeTable.append(CommentsChange.posted([comment]).stored, db)
            return PostedComment(comment, isNew: true)
        }
    }

    private static func insert(_ comment: ImageComment, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM tombstone WHERE image_id = ? AND id = ?")
            .execute(arguments: [comment.imageID, comment.id])
        try db.cachedStatement(
            sql: "INSERT INTO comment (id, image_id, created_at, username, message) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            comment.id, comment.imageID, Int64(comment.createdAt.timeIntervalSince1970), comment.username,
            comment.message,
        ])
    }

    private static func timeOfPost(_ now: Date, _ db: Database) throws -> Date {
        let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT time FROM last_post"))
        let time = PostTime.time(at: now, last: last.map { Date(timeIntervalSince1970: TimeInterval($0)) })
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO last_post (number, time) VALUES (0, ?)")
            .execute(arguments: [Int64(time.timeIntervalSince1970.rounded(.down))])
        return time
    }

    func remove(_ id: UUID) async throws -> Int {
        try await store.write { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO tombstone (image_id, id, created_at, position)
                    SELECT image_id, id, created_at, position FROM comment WHERE id = ?
                    """
            ).execute(arguments: [id])
            try db.cachedStatement(sql: "DELETE FROM comment WHERE id = ?").execute(arguments: [id])
            let count = db.changesCount
            if count > 0 { try ChangeTable.append(CommentsChange.removed([id]).stored, db) }
            return count
        }
    }
}

extension ImageComment {
    fileprivate init(row: Row) throws {
        let seconds: Int64 = try row.decode(atIndex: 3)
        self.init(
            id: try row.decode(atIndex: 0), imageID: try row.decode(atIndex: 1), message: try row.decode(atIndex: 2),
            createdAt: Date(timeIntervalSince1970: Double(seconds)), username: try row.decode(atIndex: 4))
    }
}

// MARK: - Copying

extension SQLiteCommentsStore: CopiedStore {
    func entries(after place: Int64, limit: Int) async throws -> [(place: Int64, entry: ImageComment)] {
        try await store.read { db in
            let sql = "\(Self.selection) WHERE position > ? ORDER BY position LIMIT ?"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [place, limit])
            return try Array(rows.map { (place: try $0.decode(atIndex: 5), entry: try ImageComment(row: $0)) })
        }
    }

    func add(_ entries: [ImageComment]) async throws {
        try await store.write { db in
            for comment in entries { try Self.insert(comment, db) }
            try ChangeTable.append(CommentsChange.posted(entries).stored, db)
        }
    }
}

// MARK: - Changes

extension SQLiteCommentsStore: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<CommentsChange>? {
        try await store.news(after: mark, decode: CommentsChange.init(stored:))
    }
}
