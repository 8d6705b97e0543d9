import Foundation
import GRDB

/// How far the index follows the feed and the comments. Written in the transaction of the changes that it covers.
struct IndexProgress: Equatable, Sendable {
    enum Walk: Int, Sendable {
        case none, walking, removing
    }

    /// The last applied events; nil before the first.
    var feedSeq: String?
    var commentsSeq: String?

    /// The walk through the feed.
    var walk = Walk.none

    /// The last image of the walk, and its number, which remains its place in the order when the image is removed or moves. Before the
    /// first image the walk has a number that leaves room for images in front of all known ones.
    var walkAfter: UUID?
    var walkLast = IndexNumbers.first - 1

    /// How many images the walk has read, and how many it expects; 0 when unknown.
    var walked = 0
    var walkTotal = 0

    /// Whether a reset has made the comments of all images unknown, and some are not read again yet.
    var isBehindComments = false

    /// The last time at which the index had all changes.
    var indexedAt: Date?
}

extension IndexProgress {
    init(_ db: Database) throws {
        guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM progress")) else { return }
        feedSeq = row["feed_seq"]
        commentsSeq = row["comments_seq"]
        walk = Walk(rawValue: row["walk"]) ?? .none
        walkAfter = row["walk_after"]
        walkLast = row["walk_last"]
        walked = row["walked"]
        walkTotal = row["walk_total"]
        isBehindComments = row["comments_behind"]
        let seconds: Int64? = row["indexed_at"]
        indexedAt = seconds.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    func write(_ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE progress SET feed_seq = ?, comments_seq = ?, walk = ?, walk_after = ?, walk_last = ?, walked = ?,
                    walk_total = ?, comments_behind = ?, indexed_at = ?
                """
        ).execute(arguments: [
            feedSeq, commentsSeq, walk.rawValue, walkAfter, walkLast, walked, walkTotal, isBehindComments,
            indexedAt.map { Int64($0.timeIntervalSince1970) },
        ])
    }
}
