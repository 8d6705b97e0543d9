import Comments
import CommentsContract
import Foundation
import JSON
import PostgresKit
import ServiceKit

/// The comments and their changes in a PostgreSQL database, which several services may serve.
struct PostgresCommentsStore: CommentsStore {
    private let store: PostgresStore
    private let posts = JoinedWrites(Self.post)

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
        try await store.write((draft, now), bytes: draft.message.utf8.count, with: posts)
    }

    /// Posts at the same time are one change.
    private static func post(
        _ drafts: [(draft: CommentDraft, now: Date)], _ db: PostgresConnection
    ) throws -> [Result<PostedComment, any Error>] {
        let stored = try db.execute(
            "SELECT \(Self.columns) FROM comment WHERE id = ANY ($1)", .array(drafts.map(\.draft.id))
        ).map(ImageComment.init(row:))
        var known = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        var last = try db.execute("SELECT created_at FROM last_post").first?.find(0, as: Int64.self).map(date(seconds:))
        var new: [ImageComment] = []
        let results = drafts.map { draft, now in
            Result<PostedComment, any Error> {
                if let present = known[draft.id] {
                    guard draft.isRepeat(of: present) else { throw CommentsStoreError.conflict(draft.id) }
                    return PostedComment(present, isNew: false)
                }
                var time = now
                if draft.createdAt == nil {
                    time = PostTime.time(at: now, last: last)
                    last = time
                }
                let comment = draft.comment(now: time)
                known[draft.id] = comment
                new.append(comment)
                return PostedComment(comment, isNew: true)
            }
        }
        if !new.isEmpty {
            try insert(new, last: last, db)
            try PostgresChanges.append(CommentsChange.posted(new).stored, db)
        }
        return results
    }

    /// - Parameter last: the time that the last comment without one has got; nil for the present one.
    private static func insert(_ comments: [ImageComment], last: Date?, _ db: PostgresConnection) throws {
        try db.execute(
            """
            WITH new AS (
                SELECT * FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS new (\(columns), number)
            ), placed AS (
                UPDATE last_post SET position = position + $6, created_at = coalesce($7, created_at)
                RETURNING position - $6 AS below
            ), revived AS (
                DELETE FROM tombstone USING new WHERE tombstone.image_id = new.image_id AND tombstone.id = new.id
            ), counted AS (
                INSERT INTO total SELECT image_id, count(*) FROM new GROUP BY image_id
                ON CONFLICT (image_id) DO UPDATE SET comments = total.comments + excluded.comments
            )
            INSERT INTO comment (position, \(columns)) SELECT below + number, \(columns) FROM placed, new
            """, .array(comments.map(\.id)), .array(comments.map(\.imageID)), .array(comments.map(\.message)),
            .array(comments.map { seconds($0.createdAt) }), .array(comments.map(\.username)),
            .value(Int64(comments.count)), .value(last.map(seconds)))
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

    private static func date(seconds: Int64) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }

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

// MARK: - Copying

extension PostgresCommentsStore: CopiedStore {
    func entries(after place: Int64, limit: Int) async throws -> [(place: Int64, entry: ImageComment)] {
        try await store.read { db in
            try db.execute(
                "SELECT \(Self.columns), position FROM comment WHERE position > $1 ORDER BY position LIMIT $2",
                .value(place), .value(Int64(limit))
            ).map { (place: try $0.decode(5), entry: try ImageComment(row: $0)) }
        }
    }

    func add(_ entries: [ImageComment]) async throws {
        try await store.write { db in
            try Self.insert(entries, last: nil, db)
            try PostgresChanges.append(CommentsChange.posted(entries).stored, db)
        }
    }
}

// MARK: - Changes

extension PostgresCommentsStore: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<CommentsChange>? {
        try await store.news(after: mark, decode: CommentsChange.init(stored:))
    }
}
