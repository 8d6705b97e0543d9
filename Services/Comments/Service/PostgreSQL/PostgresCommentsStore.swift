import Comments
import CommentsContract
import Foundation
import JSON
import PostgresKit
import ServiceKit

/// The comments and their changes in a PostgreSQL database, which several services may serve.
struct PostgresCommentsStore: CommentsStore {
    private let store: PostgresStore

    init(_ store: PostgresStore) { self.store = store }

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
        _ limit: Int, of imageID: UUID, after place: Place, _ db: PostgresConnection
    ) throws -> CommentsSlice {
        let comments = try db.execute(
            sliceQuery, .value(imageID), .value(place.time), .value(place.position), .value(Int64(limit + 1))
        ).map(ImageComment.init(row:))
        return CommentsSlice(items: Array(comments.prefix(limit)), hasMore: comments.count > limit)
    }

    private static let columns = "id, image_id, message, created_at, username"

    /// A page is a range of the index.
    static let sliceQuery = """
        SELECT \(columns) FROM comment WHERE image_id = $1 AND (created_at, position) > ($2, $3)
        ORDER BY created_at, position LIMIT $4
        """

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await store.read { db in
            let rows = try db.execute(
                "SELECT image_id, comments FROM total WHERE image_id = ANY ($1) AND comments > 0", .array(imageIDs))
            return Dictionary(
                try rows.map { (try $0.decode(0, as: UUID.self), Int(try $0.decode(1, as: Int64.self))) }
            ) { first, _ in first }
        }
    }

    /// A position in the list: comments are sorted by time, those of the same second by position.
    private struct Place {
        let time: Int64
        let position: Int64

        static let beforeAll = Place(time: .min, position: 0)
    }

    /// The place of an image's comment, or its last place if it was removed.
    private static func place(of id: UUID, in imageID: UUID, _ db: PostgresConnection) throws -> Place {
        let rows = try db.execute(
            """
            SELECT created_at, position FROM comment WHERE id = $1 AND image_id = $2
            UNION ALL SELECT created_at, position FROM tombstone WHERE id = $1 AND image_id = $2
            """, .value(id), .value(imageID))
        guard let row = rows.first else { throw CommentsStoreError.unknownCursor(id) }
        return Place(time: try row.decode(0), position: try row.decode(1))
    }

    // MARK: Writing

    func post(_ draft: CommentDraft, now: Date) async throws -> PostedComment {
        try await store.write { db in
            if let present = try db.execute("SELECT \(Self.columns) FROM comment WHERE id = $1", .value(draft.id)).first
            {
                let comment = try ImageComment(row: present)
                guard draft.isRepeat(of: comment) else { throw CommentsStoreError.conflict(draft.id) }
                return PostedComment(comment, isNew: false)
            }
            let time = draft.createdAt == nil ? try Self.timeOfPost(now, db) : nil
            let comment = draft.comment(now: time ?? now)
            try db.execute(
                """
                WITH placed AS (
                    UPDATE last_post SET position = position + 1, created_at = COALESCE($6, created_at) RETURNING position
                ), revived AS (
                    DELETE FROM tombstone WHERE image_id = $2 AND id = $1
                ), counted AS (
                    INSERT INTO total VALUES ($2, 1) ON CONFLICT (image_id) DO UPDATE SET comments = total.comments + 1
                )
                INSERT INTO comment (position, \(Self.columns)) SELECT position, $1, $2, $3, $4, $5 FROM placed
                """, .value(comment.id), .value(comment.imageID), .value(comment.message),
                .value(Self.seconds(comment.createdAt)), .value(comment.username), .value(time.map(Self.seconds)))
            try PostgresChanges.append(CommentsChange.posted([comment]).stored, db)
            return PostedComment(comment, isNew: true)
        }
    }

    private static func timeOfPost(_ now: Date, _ db: PostgresConnection) throws -> Date {
        let last: Int64? = try db.execute("SELECT created_at FROM last_post").first?.find(0)
        return PostTime.time(at: now, last: last.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

    func remove(_ id: UUID) async throws -> Int {
        try await store.write { db in
            let removed = try db.execute(
                """
                WITH gone AS (DELETE FROM comment WHERE id = $1 RETURNING image_id, id, created_at, position), kept AS (
                    INSERT INTO tombstone SELECT image_id, id, created_at, position FROM gone
                ), counted AS (
                    UPDATE total SET comments = comments - 1 FROM gone WHERE total.image_id = gone.image_id
                )
                SELECT id FROM gone
                """, .value(id)
            ).count
            if removed > 0 { try PostgresChanges.append(CommentsChange.removed([id]).stored, db) }
            return removed
        }
    }
}

extension ImageComment {
    /// - Parameter row: id, image_id, message, created_at and username, in this order.
    fileprivate init(row: PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.decode(0), imageID: try row.decode(1), message: try row.decode(2),
            createdAt: Date(timeIntervalSince1970: Double(try row.decode(3, as: Int64.self))),
            username: try row.decode(4))
    }
}

// MARK: - Changes

extension PostgresCommentsStore: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<CommentsChange>? {
        try await store.news(after: mark, decode: CommentsChange.init(stored:))
    }
}
