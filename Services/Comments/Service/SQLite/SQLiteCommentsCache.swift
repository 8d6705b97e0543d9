import Comments
import CommentsContract
import EdgeModel
import Foundation
import GRDB
import RPC
import SQLiteKit
import ServiceKit

/// The last valid answers in one SQLite file. Reads take microseconds and run on the caller's thread; writes wait for
/// the disk on another thread.
struct SQLiteCommentsCache: CommentsCache {
    private let store: Store
    private let limits: CommentsCacheLimits

    init(_ store: Store, limits: CommentsCacheLimits = CommentsCacheLimits()) {
        self.store = store
        self.limits = limits
    }

    /// The application id differs from that of an authority's store, so neither file can be opened as the other.
    static let opening = StoreOpening(applicationID: "IFce", migrator: CommentsCacheSchema.migrator, isCache: true)

    // MARK: Reading

    func validators(of imageID: UUID) async throws -> AnswerValidators? {
        try await store.read { db in
            try Self.answer("etag, last_modified", of: imageID, db).map { row in
                AnswerValidators(etag: try row.decode(atIndex: 0), lastModified: try row.decode(atIndex: 1))
            }
        }
    }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CachedSlice? {
        try await store.read { try Self.slice(limit, of: imageID, after: id, $0) }
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages {
        try await store.ifThere {
            try await store.read { db in
                try FirstPages(of: imageIDs) { try Self.slice(limit, of: $0, after: nil, db)?.slice }
            }
        } ?? FirstPages(of: imageIDs) { _ in nil }
    }

    private static func slice(
        _ limit: Int, of imageID: UUID, after id: UUID?, _ db: Database
    ) throws -> CachedSlice? {
        guard let answer = try Self.answer("saved_at", of: imageID, db) else { return nil }
        let position = try id.map { try Self.position(of: $0, in: imageID, db) } ?? -1
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, created_at, username, message FROM comment
                WHERE image_id = ? AND position > ? AND gone_since IS NULL ORDER BY position LIMIT ?
                """)
        let rows = try Array(
            Row.fetchCursor(statement, arguments: [imageID, position, limit + 1])
                .map { try ImageComment($0, imageID: imageID) })
        return CachedSlice(
            slice: CommentsSlice(items: Array(rows.prefix(limit)), hasMore: rows.count > limit),
            savedAt: Date(seconds: try answer.decode(atIndex: 0)))
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await store.ifThere { try await store.read { try Self.counts(of: imageIDs, $0) } } ?? [:]
    }

    private static func counts(of imageIDs: [UUID], _ db: Database) throws -> [UUID: Int] {
        let marks = Array(repeating: "?", count: imageIDs.count).joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: "SELECT image_id, comments FROM answer WHERE image_id IN (\(marks)) AND comments > 0")
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(imageIDs))
        var counts: [UUID: Int] = [:]
        while let row = try rows.next() { counts[try row.decode(atIndex: 0)] = try row.decode(atIndex: 1) }
        return counts
    }

    private static func answer(_ columns: String, of imageID: UUID, _ db: Database) throws -> Row? {
        let statement = try db.cachedStatement(sql: "SELECT \(columns) FROM answer WHERE image_id = ?")
        return try Row.fetchOne(statement, arguments: [imageID])
    }

    private static func position(of id: UUID, in imageID: UUID, _ db: Database) throws -> Int {
        let statement = try db.cachedStatement(sql: "SELECT position FROM comment WHERE image_id = ? AND id = ?")
        guard let position = try Int.fetchOne(statement, arguments: [imageID, id]) else {
            throw CommentsStoreError.unknownCursor(id)
        }
        return position
    }

    // MARK: Writing

    func keep(_ answer: CachedComments) async throws -> Bool {
        guard answer.comments.count <= limits.comments, answer.bytes <= limits.bytes else { return false }
        return try await store.write { [limits] db in
            let turn = try Self.nextTurn(db)
            let former = try Self.places(of: answer.imageID, db)
            let places = CommentPlaces.replacing(
                former, by: answer.comments.map(\.id), answer: turn,
                limit: limits.gonePlaces(beside: answer))
            let gone = places.count - answer.comments.count
            try Self.write(answer, turn: turn, bytes: answer.bytes + gone * CommentPlace.bytes, db)
            try Self.write(places, answer.comments, of: answer.imageID, db)
            let present = former.filter { $0.goneSince == nil }.map(\.id)
            let (known, current) = (Set(present), Set(answer.comments.map(\.id)))
            try Self.log(removed: present.filter { !current.contains($0) }, db)
            try Self.log(new: answer.comments.filter { !known.contains($0.id) }, db)
            try Self.makeRoom(limits, db)
            return true
        }
    }

    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) async throws -> Bool {
        try await store.write { db in
            try db.cachedStatement(
                sql: """
                    UPDATE answer SET turn = ?, saved_at = ? WHERE image_id = ? AND etag IS ? AND last_modified IS ?
                    """
            ).execute(arguments: [
                try Self.nextTurn(db), savedAt.seconds, imageID, validators.etag, validators.lastModified,
            ])
            return db.changesCount == 1
        }
    }

    func remove(_ ids: [UUID], at time: Date) async throws {
        try await store.write { db in
            let removed = try ids.filter { try Self.remove($0, at: time, db) }
            try Self.log(removed: removed, db)
        }
    }

    /// - Returns: whether the comment was there.
    private static func remove(_ id: UUID, at time: Date, _ db: Database) throws -> Bool {
        let images = try UUID.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT image_id FROM comment JOIN answer USING (image_id)
                    WHERE id = ? AND gone_since IS NULL AND saved_at <= ?
                    """), arguments: [id, time.seconds])
        for image in images {
            try db.cachedStatement(
                sql: """
                    UPDATE comment SET created_at = NULL, username = NULL, message = NULL,
                        gone_since = (SELECT turn FROM answer WHERE answer.image_id = comment.image_id)
                    WHERE image_id = ? AND id = ?
                    """
            ).execute(arguments: [image, id])
            // The upstream may publish the comment again, and its answer would then be the former one.
            try db.cachedStatement(
                sql: """
                    UPDATE answer SET comments = comments - 1, etag = NULL, last_modified = NULL WHERE image_id = ?
                    """
            ).execute(arguments: [image])
        }
        return !images.isEmpty
    }

    func forget(_ imageID: UUID) async throws {
        try await store.write { db in try Self.delete(imageID, db) }
    }

    /// Deletes an answer and its comments.
    private static func delete(_ imageID: UUID, _ db: Database) throws {
        let ids = try places(of: imageID, db).filter { $0.goneSince == nil }.map(\.id)
        try db.cachedStatement(sql: "DELETE FROM answer WHERE image_id = ?").execute(arguments: [imageID])
        try log(removed: ids, db)
    }

    // A change is one message, and a list of an upstream may be longer.

    private static func log(removed ids: [UUID], _ db: Database) throws {
        for start in stride(from: 0, to: ids.count, by: loggedAtOnce) {
            let part = ids[start..<min(start + loggedAtOnce, ids.count)]
            try ChangeTable.append(CommentsChange.removed(Array(part)).stored, db)
        }
    }

    private static func log(new comments: [ImageComment], _ db: Database) throws {
        var rest = comments[...]
        while !rest.isEmpty {
            let part = rest.prefix(loggedAtOnce).fitting
            try ChangeTable.append(CommentsChange.posted(Array(part)).stored, db)
            rest = rest.dropFirst(part.count)
        }
    }

    /// The maximum number of comments in one change.
    static let loggedAtOnce = 5_000

    private static func nextTurn(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT coalesce(max(turn), 0) + 1 FROM answer")) ?? 1
    }

    private static func places(of imageID: UUID, _ db: Database) throws -> [CommentPlace] {
        let statement = try db.cachedStatement(
            sql: "SELECT id, gone_since FROM comment WHERE image_id = ? ORDER BY position")
        return try Array(
            Row.fetchCursor(statement, arguments: [imageID])
                .map { CommentPlace(id: try $0.decode(atIndex: 0), goneSince: try $0.decode(atIndex: 1)) })
    }

    private static func write(_ answer: CachedComments, turn: Int64, bytes: Int, _ db: Database) throws {
        // `INSERT OR REPLACE` would delete the row and, by the foreign key, its comments.
        try db.cachedStatement(
            sql: """
                INSERT INTO answer (image_id, turn, saved_at, etag, last_modified, comments, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (image_id) DO UPDATE SET turn = excluded.turn, saved_at = excluded.saved_at,
                    etag = excluded.etag, last_modified = excluded.last_modified, comments = excluded.comments,
                    bytes = excluded.bytes
                """
        ).execute(arguments: [
            answer.imageID, turn, answer.savedAt.seconds, answer.validators.etag, answer.validators.lastModified,
            answer.comments.count, bytes,
        ])
    }

    private static func write(
        _ places: [CommentPlace], _ comments: [ImageComment], of imageID: UUID, _ db: Database
    ) throws {
        try db.cachedStatement(sql: "DELETE FROM comment WHERE image_id = ?").execute(arguments: [imageID])
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO comment (image_id, position, id, gone_since, created_at, username, message)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        var rest = comments[...]
        for (position, place) in places.enumerated() {
            let comment = place.goneSince == nil ? rest.popFirst() : nil
            try insert.execute(arguments: [
                imageID, position, place.id, place.goneSince, comment?.createdAt.seconds, comment?.username,
                comment?.message,
            ])
        }
    }

    /// Evicts the oldest answers until the store is within its limits.
    private static func makeRoom(_ limits: CommentsCacheLimits, _ db: Database) throws {
        guard let size = try Row.fetchOne(db.cachedStatement(sql: sizeQuery)) else { return }
        var (images, bytes): (Int, Int) = (try size.decode(atIndex: 0), try size.decode(atIndex: 1))
        var oldest: [UUID] = []
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT image_id, bytes FROM answer ORDER BY turn"))
        while images > limits.images || bytes > limits.bytes, let row = try rows.next() {
            oldest.append(try row.decode(atIndex: 0))
            images -= 1
            bytes -= try row.decode(Int.self, atIndex: 1)
        }
        for imageID in oldest { try delete(imageID, db) }
    }

    /// The number of images and bytes. The query reads an index only: about a millisecond when the store is full.
    static let sizeQuery = "SELECT count(*), coalesce(sum(bytes), 0) FROM answer"
}

extension SQLiteCommentsCache: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<CommentsChange>? {
        try await store.news(after: mark, decode: CommentsChange.init(stored:))
    }
}

extension Date {
    fileprivate init(seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }

    fileprivate var seconds: Int64 { Int64(timeIntervalSince1970) }
}

extension ImageComment {
    fileprivate init(_ row: Row, imageID: UUID) throws {
        self.init(
            id: try row.decode(atIndex: 0), imageID: imageID, message: try row.decode(atIndex: 3),
            createdAt: Date(seconds: try row.decode(atIndex: 1)), username: try row.decode(atIndex: 2))
    }
}
