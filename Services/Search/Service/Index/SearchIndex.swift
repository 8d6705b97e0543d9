import Foundation
import GRDB
import SQLiteKit
import Search

/// The index in one SQLite file. `SearchIndex+Finding` reads it.
struct SearchIndex: Sendable {
    let pool: DatabasePool

    init(_ pool: DatabasePool) { self.pool = pool }

    static let opening = StoreOpening(applicationID: "IFse", migrator: IndexSchema.migrator, isCache: true) {
        try Relevance.register($0)
        try $0.execute(sql: "PRAGMA cache_size = -\(cacheKiB); PRAGMA wal_autocheckpoint = \(journalPages)")
    }

    /// The page cache of a connection. The index of ids is written in random order.
    private static let cacheKiB = 4_096

    /// The size of the journal, in pages of 4 KiB, at which it is copied into the file: a walk changes most pages several times.
    private static let journalPages = 4_000

    /// How many images one transaction removes after a walk.
    static let removedAtOnce = 500

    func progress() throws -> IndexProgress { try pool.read { try IndexProgress($0) } }

    /// Writes in one transaction, with the progress.
    /// - Parameter base: the progress that the caller knows.
    /// - Throws: `IndexReplaced` when the index has another progress, because it was replaced by a new one.
    /// - Returns: the progress after the transaction.
    private func write(
        from base: IndexProgress,
        _ body: @escaping @Sendable (IndexWriter, inout IndexProgress) throws -> Void
    ) async throws -> IndexProgress {
        try await pool.write { db in
            var progress = try IndexProgress(db)
            guard progress == base else { throw IndexReplaced() }
            let writer = IndexWriter(db)
            try body(writer, &progress)
            try writer.finish()
            if base.walk != .none, progress.walk == .none { try LaterIndexes.ensure(db) }
            if progress != base { try progress.write(db) }
            return progress
        }
    }

    // MARK: Events

    /// Applies events in their order. An event that has been applied before changes nothing.
    func apply(_ events: [IndexEvent], from base: IndexProgress) async throws -> IndexProgress {
        try await write(from: base) { writer, progress in
            var comments = CommentChanges()
            for event in events {
                if event.isOfFeed {
                    // An image that is removed and published again gets its comments from the service.
                    try comments.write(writer)
                    try Self.apply(event, writer, &progress)
                    progress.feedSeq = event.seq
                } else {
                    if case .commentsReset = event.change {
                        try writer.db.execute(sql: "UPDATE image SET knows_comments = 0")
                        progress.isBehindComments = true
                    } else {
                        try comments.add(event.change, writer)
                    }
                    progress.commentsSeq = event.seq
                }
            }
            try comments.write(writer)
        }
    }

    private static func apply(_ event: IndexEvent, _ writer: IndexWriter, _ progress: inout IndexProgress) throws {
        switch event.change {
        case .published(let images):
            // In front of all images, and of those that the walk finds in front of all that were known.
            var number = try writer.lowestNumber() ?? IndexNumbers.first
            if progress.walk == .walking { number = min(number, progress.walkLast) }
            // The first image is the newest and gets the lowest number.
            for image in images.reversed() {
                if let known = try writer.number(of: image.id) {
                    // The walk has found it already, or it was removed and published again while events were missed.
                    try writer.update(image, at: known)
                    _ = try writer.markFound(known)
                    guard known != number else { continue }
                    try writer.move(known, to: number - 1)
                } else {
                    _ = try writer.add(IndexEntry(image, []), at: number - 1, knowsComments: false)
                }
                number -= 1
            }
        case .found(let images):
            // Older than all that is known, and than what the walk finds: a reader has scrolled down to them.
            var number = try writer.highestNumber() ?? IndexNumbers.first
            if progress.walk == .walking { number = max(number, progress.walkLast + IndexNumbers.walkGap) }
            for image in images {
                if let known = try writer.number(of: image.id) {
                    try writer.update(image, at: known)
                } else {
                    number += 1
                    _ = try writer.add(IndexEntry(image, []), at: number, knowsComments: false)
                }
            }
        case .removed(let ids):
            for id in ids { if let number = try writer.number(of: id) { try writer.remove(number) } }
        case .feedReset:
            let lowest = try writer.lowestNumber()
            progress.walk = .walking
            progress.walkAfter = nil
            progress.walkLast = (lowest.map { $0 - IndexNumbers.walkGap } ?? IndexNumbers.first) - 1
            progress.walked = 0
            progress.walkTotal = 0
            try writer.markAllUnfound()
            if lowest == nil { try LaterIndexes.omit(writer.db) }
        case .posted, .removedComments, .commentsReset: break
        }
    }

    // MARK: Walking through the feed

    /// Those of the ids that are indexed.
    func known(_ ids: [UUID]) throws -> Set<UUID> {
        try pool.read { db in
            try ids.reduce(into: []) { known, id in
                if try IndexWriter(db).number(of: id) != nil { known.insert(id) }
            }
        }
    }

    /// Writes the next images of the walk.
    /// - Parameters:
    ///   - isLast: whether no images follow.
    ///   - isWhole: whether the walk has read the whole feed, so that images which it has not found do not exist any more.
    func write(
        _ images: [WalkedImage], isLast: Bool, isWhole: Bool, from base: IndexProgress
    ) async throws -> IndexProgress {
        try await write(from: base) { writer, progress in
            // No image has a number between that of the image before and this one.
            var nextUsed = Int64.min
            /// A number behind the image before: the next one if it is free, else behind all images.
            func nextNumber() throws -> Int64 {
                let next = progress.walkLast + 1
                if next >= nextUsed { nextUsed = try writer.number(after: progress.walkLast) }
                return next < nextUsed ? next : (try writer.highestNumber() ?? progress.walkLast) + 1
            }
            let known = try images.map { try $0.isIndexed ? writer.number(of: $0.entry.image.id) : nil }
            let ascending = Self.ascending(known)
            for (walked, known) in zip(images, known) {
                guard let known else {
                    let number = try nextNumber()
                    // The upstream of an edge may send an image twice.
                    let isNew = try writer.add(
                        walked.entry, walked.words, at: number, knowsComments: walked.knowsComments)
                    if isNew { progress.walkLast = number }
                    continue
                }
                // An image that is found already has its place.
                guard try writer.markFound(known) else { continue }
                try writer.update(walked.entry.image, at: known)
                if known > progress.walkLast, ascending.contains(known) {
                    progress.walkLast = known
                } else {
                    // It was removed and published again while events were missed.
                    let number = try nextNumber()
                    try writer.move(known, to: number)
                    progress.walkLast = number
                }
            }
            progress.walked += images.count
            progress.walkAfter = images.last?.entry.image.id ?? progress.walkAfter
            guard isLast else { return }
            progress.walk = isWhole ? .removing : .none
            if !isWhole { try writer.forgetUnfound() }
        }
    }

    /// The numbers that are lower than all behind them.
    private static func ascending(_ numbers: [Int64?]) -> Set<Int64> {
        var lowest = Int64.max
        return numbers.reversed().reduce(into: []) { ascending, number in
            guard let number, number < lowest else { return }
            ascending.insert(number)
            lowest = number
        }
    }

    func setWalkTotal(_ total: Int, from base: IndexProgress) async throws -> IndexProgress {
        try await write(from: base) { _, progress in progress.walkTotal = total }
    }

    /// Removes some of the images that the walk has not found; the walk ends when there are none.
    func removeUnfound(from base: IndexProgress) async throws -> IndexProgress {
        try await write(from: base) { writer, progress in
            let numbers = try writer.unfound(Self.removedAtOnce)
            for number in numbers { try writer.remove(number) }
            if numbers.count < Self.removedAtOnce { progress.walk = .none }
        }
    }

    // MARK: Unknown comments

    /// The newest images whose comments are unknown.
    func imagesWithoutComments(_ limit: Int) throws -> [UUID] {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT id FROM image WHERE knows_comments = 0 ORDER BY number LIMIT ?")
            return try UUID.fetchAll(statement, arguments: [limit])
        }
    }

    func countWithoutComments() throws -> Int {
        try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM image WHERE knows_comments = 0") ?? 0
        }
    }

    func count() throws -> Int {
        try pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM image") ?? 0 }
    }

    /// Replaces the comments of images.
    /// - Parameter comments: nil for an image whose comments cannot be read; those that are indexed remain.
    func write(comments: [UUID: [SearchableComment]?], from base: IndexProgress) async throws -> IndexProgress {
        try await write(from: base) { writer, progress in
            for (id, comments) in comments {
                guard let number = try writer.number(of: id) else { continue }
                if let comments {
                    var changes: [UUID: SearchableComment?] = [:]
                    for comment in try writer.entry(number)?.comments ?? [] {
                        changes.updateValue(nil, forKey: comment.id)
                    }
                    for comment in comments { changes.updateValue(comment, forKey: comment.id) }
                    try writer.change(changes, on: number)
                }
                try writer.setKnowsComments(number)
            }
            if progress.isBehindComments {
                let isKnown = try Int.fetchOne(
                    writer.db, sql: "SELECT 1 FROM image WHERE knows_comments = 0 LIMIT 1")
                progress.isBehindComments = isKnown != nil
            }
        }
    }

    // MARK: Merging

    /// How many pages of words one transaction merges.
    static let mergedPages = 500

    /// Merges some of the segments of the words. A walk leaves many, and each query reads all of them. At the end the
    /// journal is copied into the file and emptied.
    /// - Parameter isFirst: whether this is the first of several calls, which decides what they merge.
    /// - Returns: whether there may be more to merge.
    func merge(isFirst: Bool) async throws -> Bool {
        let hasMore = try await pool.write { db in
            let before = db.totalChangesCount
            try db.execute(
                sql: "INSERT INTO word (word, rank) VALUES ('merge', ?)",
                arguments: [isFirst ? -Self.mergedPages : Self.mergedPages])
            // One change is the command itself.
            return db.totalChangesCount - before > 1
        }
        if !hasMore { try await emptyJournal() }
        return hasMore
    }

    /// How long emptying the journal waits for readers, in milliseconds. Writers wait meanwhile.
    private static let journalWait = 100

    /// Copies the journal into the file and empties it. A journal that readers need remains, to be overwritten later.
    private func emptyJournal() async throws {
        try await pool.writeWithoutTransaction { db in
            let usualWait = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
            try db.execute(sql: "PRAGMA busy_timeout = \(Self.journalWait)")
            let result = Result { try db.checkpoint(.truncate) }
            try db.execute(sql: "PRAGMA busy_timeout = \(usualWait)")
            if case .failure(let error) = result, (error as? DatabaseError)?.resultCode != .SQLITE_BUSY { throw error }
        }
    }

    /// Notes that the index has all changes.
    func noteCurrent(at time: Date, from base: IndexProgress) async throws -> IndexProgress {
        try await write(from: base) { _, progress in
            progress.indexedAt = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
        }
    }
}

/// Another index has taken the place of the one whose progress is known.
struct IndexReplaced: Error {}

/// Changes of comments that are not written yet. Those of one image are written together.
private struct CommentChanges {
    private var changes: [Int64: [UUID: SearchableComment?]] = [:]

    mutating func add(_ change: IndexEvent.Change, _ writer: IndexWriter) throws {
        switch change {
        case .posted(let comments):
            for posted in comments {
                // The comments of an unknown image are read when it is published.
                guard let number = try writer.number(of: posted.imageID) else { continue }
                changes[number, default: [:]].updateValue(posted.comment, forKey: posted.comment.id)
            }
        case .removedComments(let ids):
            try LaterIndexes.ensure(writer.db)
            for id in ids {
                for number in changes.keys where changes[number]?[id] != nil {
                    changes[number]?.updateValue(nil, forKey: id)
                }
                for number in try writer.images(ofComment: id) {
                    changes[number, default: [:]].updateValue(nil, forKey: id)
                }
            }
        case .published, .removed, .found, .feedReset, .commentsReset: break
        }
    }

    mutating func write(_ writer: IndexWriter) throws {
        for (number, changes) in changes { try writer.change(changes, on: number) }
        changes = [:]
    }
}
